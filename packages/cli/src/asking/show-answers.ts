import type { Conversation } from '@expert-relay/sdk';
import { hasEnded } from '@expert-relay/sdk/internal';
import type { Context } from '../context.ts';
import { partsToJson, showParts } from '../messages/message-parts.ts';
import { storedParts } from '../messages/stored-parts.ts';
import type { Entry } from '../store/conversations.ts';
import { describeTrust, writtenBefore } from '../terminal/protection-words.ts';

/** Prints the answers to stdout, and their author and protection to stderr. */
export function showAnswers(
  { out, err }: Context,
  conversation: Conversation,
  { answers, json }: { answers: readonly Entry[]; json: boolean },
): void {
  const { refCode, requestId, status, expiresAt, verification, fingerprint, unsent } = conversation;
  if (json) {
    const about = { refCode, requestId, status, expiresAt, verification, fingerprint, unsent: unsent.length };
    out.line(JSON.stringify({ outcome: 'done', exit: 0, ...about, answers: answersToJson(answers) }));
    return;
  }
  if (verification === 'first-contact' && !err.isTerminal) err.paragraph(describeFirstContact);
  for (const [index, entry] of answers.entries()) {
    const { text, protection, seenYourLast, files } = entry;
    const isNews = protection !== answers[index - 1]?.protection;
    if (isNews)
      err.paragraph(describeTrust(protection, conversation), {
        style: protection === 'plaintext' ? 'yellow' : 'dim',
      });
    if (seenYourLast === false) err.paragraph(writtenBefore, { style: 'yellow' });
    if (text !== '') {
      if (out.isTerminal || index > 0) out.line();
      out.foreign(text);
    }
    showParts(err, storedParts(entry));
    if (files) err.paragraph(describeSaving(refCode));
  }
}

/** The answers, without the content of their files. */
export const answersToJson = (answers: readonly Entry[]) =>
  answers.map((entry) => {
    const { text, messageId, createdAt, protection, seenYourLast } = entry;
    return { text, messageId, createdAt, protection, seenYourLast, ...partsToJson(storedParts(entry)) };
  });

export const describeSaving = (refCode: string): string =>
  `To save the files: relay show ${refCode} --save DIR`;

/** A machine that exists for one run only, as in CI, has a first contact in each run. */
export const describeFirstContact =
  'RELAY_EXPERT is not set: the first expert who answers at this relay counts as yours. Set it to the fingerprint that the expert sees in `relay keys`.';

type About = Pick<Conversation, 'unsent' | 'status' | 'isEncrypted' | 'verification'>;

/** Says which texts were not sent yet, and when they will be; empty when all were sent. */
export function describeUnsent({ unsent, status, isEncrypted, verification }: About): string {
  const { length } = unsent;
  if (length === 0) return '';
  const [texts, are, they] = length === 1 ? ['One text', 'is', 'it'] : [`${length} texts`, 'are', 'they'];
  if (hasEnded({ status })) {
    return `${texts} could not be sent: the conversation is ${status}.`;
  }
  const waits = isEncrypted && verification === 'none';
  const when = waits
    ? `${they} ${are} sent encrypted, once the expert has picked the request up and a relay command waits in this conversation`
    : `${they} ${are} sent once the relay answers and a relay command waits in this conversation`;
  return `${texts} of yours ${length === 1 ? 'has' : 'have'} NOT been sent yet: ${when}.`;
}

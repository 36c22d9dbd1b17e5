import type { Conversation } from '@expert-relay/sdk';
import type { Context } from '../../context.ts';
import type { Entry } from '../../store/conversations.ts';
import { writtenBefore } from '../../terminal/protection-words.ts';
import { describeTrust } from './describe-trust.ts';

/** Answers to stdout; whom they are from, and what that is worth, beside it. */
export function showAnswers(
  { out, err }: Context,
  conversation: Conversation,
  { answers, json }: { answers: readonly Entry[]; json: boolean },
): void {
  const { refCode, requestId, status, expiresAt, verification, fingerprint, unsent } = conversation;
  if (json) {
    const shown = answers.map(({ text, messageId, createdAt, protection, seenYourLast }) => ({
      text,
      messageId,
      createdAt,
      protection,
      seenYourLast,
    }));
    const about = { refCode, requestId, status, expiresAt, verification, fingerprint, unsent: unsent.length };
    out.line(JSON.stringify({ outcome: 'done', exit: 0, ...about, answers: shown }));
    return;
  }
  for (const [index, { text, protection, seenYourLast }] of answers.entries()) {
    const isNews = protection !== answers[index - 1]?.protection;
    if (isNews)
      err.paragraph(describeTrust(protection, conversation), {
        style: protection === 'plaintext' ? 'yellow' : 'dim',
      });
    if (seenYourLast === false) err.paragraph(writtenBefore, { style: 'yellow' });
    if (out.isTerminal || index > 0) out.line();
    out.foreign(text);
  }
}

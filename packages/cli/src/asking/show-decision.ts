import type { Conversation } from '@expert-relay/sdk';
import { type Form, isApproval } from '@expert-relay/sdk/forms';
import type { Context } from '../context.ts';
import { exitCodes, type Outcome } from '../exit-codes.ts';
import { isChoiceForm } from '../forms/read-form.ts';
import { showContent } from '../forms/show-form.ts';
import { shortTime } from '../messages/conversation-view.ts';
import { decisionWord, partsToJson, showParts } from '../messages/message-parts.ts';
import { storedParts } from '../messages/stored-parts.ts';
import { describeAge } from '../terminal/describe-duration.ts';
import { describeTrust } from '../terminal/protection-words.ts';
import { answersToJson, describeFirstContact, describeSaving } from './show-answers.ts';
import type { AwaitedDecision } from './wait-for-decision.ts';

/**
 * Prints what was decided to stdout: the chosen option, the values of the form as JSON, or the comment of an approval. All
 * else goes to stderr. The outcome says whether it was accepted.
 */
export function showDecision(
  { out, err, now }: Context,
  conversation: Conversation,
  { entry, replies, form, json }: AwaitedDecision & { form: Form; json: boolean },
): Outcome {
  const { refCode, requestId, status, expiresAt, verification, fingerprint } = conversation;
  const { decision, text, messageId, createdAt, protection } = entry;
  const { action, content } = decision;
  const outcome = action === 'accept' ? 'done' : 'declined';
  const { answer: _decision, form: _form, ...parts } = storedParts(entry);
  if (json) {
    const about = { refCode, requestId, status, expiresAt, verification, fingerprint };
    const told = { comment: text, messageId, createdAt, protection, ...partsToJson(parts) };
    const answers = answersToJson(replies);
    const result = {
      outcome,
      exit: exitCodes[outcome].code,
      ...about,
      decision: { ...decision, ...told },
      answers,
    };
    out.line(JSON.stringify(result));
    return outcome;
  }
  if (verification === 'first-contact' && !err.isTerminal) err.paragraph(describeFirstContact);
  err.line(`${err.paint('bold', refCode)}  ${decisionWord(action, form)}`);
  const age = describeAge(decision.decidedAt, now());
  if (age !== '')
    err.paragraph(`Decided ${shortTime(decision.decidedAt)}, ${age}, by the clock of the expert's device.`, {
      style: 'yellow',
    });
  err.paragraph(describeTrust(protection, conversation), {
    style: protection === 'plaintext' ? 'yellow' : 'dim',
  });
  if (text !== '') (isApproval(form) ? out : err).foreign(text);
  showParts(err, parts);
  if (entry.files) err.paragraph(describeSaving(refCode));
  if (!content || isApproval(form)) return outcome;
  if (isChoiceForm(form)) out.line(String(Object.values(content)[0]));
  else {
    if (out.isTerminal) showContent(err, form, content);
    out.line(JSON.stringify(content));
  }
  return outcome;
}

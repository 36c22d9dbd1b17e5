import type { FilePart } from '../crypto/parts.ts';
import type { Content } from '../forms/form.ts';
import type { ContextMessage, Party } from '../request-state.ts';
import type { CheckedMessage } from './open-messages.ts';
import type { ReceiptDecision } from './read-decision.ts';
import type { ReceiptFile } from './receipt-file.ts';

/** A message before the decision, or the decision itself, which is the last one. */
export interface ReceiptEntry {
  readonly from: Party;
  readonly messageId: string;
  /** Undefined where the receipt does not open the message. */
  readonly text?: string | undefined;
  /** A form of the agent, as JSON text. */
  readonly form?: string | undefined;
  readonly files?: readonly FilePart[] | undefined;
  /** True when it has a part that this version cannot show. */
  readonly hasUnknownPart?: true | undefined;
}

interface Verified {
  /** Who has decided: the expert whose key has this fingerprint. */
  readonly fingerprint: string;
  /** Whether it is a fingerprint that was given. False only where none was given: then it is not known whose it is. */
  readonly isKnown: boolean;
  readonly requestId: string;
  readonly refCode: string;
  /** What was asked, as the expert has signed it. A confidential question is in the first of `messages`, too. */
  readonly asked: {
    readonly agentName: string;
    readonly question: string;
    readonly plaintext: string;
    readonly messages: readonly ContextMessage[];
  };
  /** The form that was answered, as JSON text. */
  readonly form: string;
  /** The answer, as JSON text. */
  readonly answer: string;
  /** What the expert wrote beside it. */
  readonly comment: string;
  /** When the expert decided, by the clock of the expert's device. */
  readonly decidedAt: string;
  /** When the agent had sent what the decision is about, and when it made the receipt, by its own clock. */
  readonly askedAt: string | undefined;
  readonly madeAt: string;
  /** All that the decision follows, in the order in which the agent had it, and the decision. */
  readonly messages: readonly ReceiptEntry[];
  /** What the receipt does not prove, a sentence each. */
  readonly notProven: readonly string[];
}

/** What a receipt proves. */
export type VerifiedReceipt = Verified &
  (
    | { readonly action: 'accept'; readonly content: Content }
    | { readonly action: 'decline'; readonly content?: undefined }
  );

export function describeReceipt(
  file: ReceiptFile,
  messages: readonly CheckedMessage[],
  { answer, answerText, formText, question, comment }: ReceiptDecision,
  isKnown: boolean,
): VerifiedReceipt {
  const { fingerprint, requestId, refCode, askedAt, madeAt } = file;
  const { agentName, plaintext, messages: context } = file.asked;
  const { decidedAt } = answer;
  const verified = {
    ...{
      fingerprint,
      isKnown,
      requestId,
      refCode,
      asked: { agentName, question, plaintext, messages: context },
    },
    ...{ form: formText, answer: answerText, comment, decidedAt, askedAt, madeAt },
    messages: messages.map(entryOf),
    notProven: notProven(file, messages, isKnown),
  };
  return answer.action === 'accept'
    ? { ...verified, action: answer.action, content: answer.content }
    : { ...verified, action: answer.action };
}

function entryOf({ message: { role, messageId }, content }: CheckedMessage): ReceiptEntry {
  const from = role === 'consumer' ? 'agent' : 'expert';
  if (!content) return { from, messageId };
  const { form, files, hasUnknown } = content.parts;
  return {
    ...{ from, messageId, text: content.text },
    ...(form !== undefined && { form }),
    ...(files && { files }),
    ...(hasUnknown && { hasUnknownPart: true }),
  };
}

function notProven(
  { openingKey }: ReceiptFile,
  messages: readonly CheckedMessage[],
  isKnown: boolean,
): readonly string[] {
  const closed = messages.filter(({ content }) => !content).length;
  return [
    ...(isKnown ? [] : ['Whose fingerprint this is: compare it with the one that the expert sees.']),
    'Which person decided: it was signed with the key of this fingerprint.',
    'When it was: the times are those that the clocks of both sides showed.',
    'That there was no other decision, and that the agent wrote nothing else.',
    ...(closed > 0
      ? [`What ${closed} ${closed === 1 ? 'message' : 'messages'} before the decision said: not opened here.`]
      : []),
    ...(openingKey === undefined
      ? ['That both sides together did not make up what the opened messages say.']
      : []),
  ];
}

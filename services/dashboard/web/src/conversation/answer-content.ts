import type { Deciding, UnsentAnswer } from '@expert-relay/sdk/expert';

/** What an answer says: a text, a decision about a form, and files. */
export type AnswerContent = Pick<UnsentAnswer, 'text' | 'answer' | 'unreadableAnswer' | 'files'>;

/** The same answer, where the SDK has not named it by an id yet. */
export const isSameContent = (one: AnswerContent, other: AnswerContent): boolean =>
  identityOf(one) === identityOf(other);

function identityOf({ text, answer, files = [] }: AnswerContent): string {
  // One decision about a form is on its way at a time. Without encryption, its text says it in words.
  const said = answer ? [answer.of, answer.action, answer.action === 'accept' && answer.content] : text;
  return JSON.stringify([said, files.map(({ name, bytes }) => [name, bytes.length])]);
}

/** What the expert has written: beside a decision, the comment. */
export const writtenText = ({ text, answer }: AnswerContent, isEncrypted: boolean): string =>
  answer && !isEncrypted ? (answer.comment ?? '') : text;

export const contentOf = ({ text, answer, files }: AnswerContent): AnswerContent => ({
  text,
  ...(answer && { answer }),
  ...(files && files.length > 0 && { files }),
});

/** The SDK adds the time, and without encryption the comment. */
export const decidingOf = (answer: NonNullable<AnswerContent['answer']>): Deciding =>
  answer.action === 'accept'
    ? { action: answer.action, content: answer.content, of: answer.of }
    : { action: answer.action, of: answer.of };

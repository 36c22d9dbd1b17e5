import type { Deciding, PendingAnswer } from '@expert-relay/sdk/expert';

/** What an answer says: a text, a decision about a form, and files. */
export type AnswerContent = Pick<PendingAnswer, 'text' | 'answer' | 'unreadableAnswer' | 'files'>;

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

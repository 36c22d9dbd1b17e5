import type { Deciding, PendingAnswer } from '@expert-relay/sdk/expert';

/** A decision with its comment, if it has one. */
type Decided = Deciding & { readonly of: string; readonly comment?: string | undefined };

/** What an answer says: a text, a decision about a form, and files. */
export interface AnswerContent extends Pick<PendingAnswer, 'text' | 'unreadableAnswer' | 'files'> {
  /** Its comment is the text, too. Of a stored answer without encryption, the text has the decision in words. */
  readonly answer?: Decided | undefined;
}

/** What the expert has written: beside a decision, the comment. */
export const writtenText = ({ text, answer }: AnswerContent, isEncrypted: boolean): string =>
  answer && !isEncrypted ? (answer.comment ?? '') : text;

export const contentOf = ({ text, answer, files }: AnswerContent): AnswerContent => ({
  text,
  ...(answer && { answer }),
  ...(files && files.length > 0 && { files }),
});

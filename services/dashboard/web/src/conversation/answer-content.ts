import type { UnsentAnswer } from '@expert-relay/sdk/expert';

/** What an answer says: a text, a decision about a form, and files. */
export type AnswerContent = Pick<UnsentAnswer, 'text' | 'answer' | 'unreadableAnswer' | 'files'>;

/** The same answer: the SDK names its unsent answers by nothing else. */
export const isSameContent = (one: AnswerContent, other: AnswerContent): boolean =>
  identityOf(one) === identityOf(other);

function identityOf({ text, answer, files = [] }: AnswerContent): string {
  // One decision about a form is on its way at a time. Without encryption, its text says it in words.
  const said = answer ? [answer.of, answer.action, answer.action === 'accept' && answer.content] : text;
  return JSON.stringify([said, files.map(({ name, bytes }) => [name, bytes.length])]);
}

/** Those of `answers` that `others` does not have. Of two equal answers, one in `others` removes one. */
export function withoutSame<T extends AnswerContent>(
  answers: readonly T[],
  others: readonly AnswerContent[],
): readonly T[] {
  const left = [...others];
  return answers.filter((answer) => {
    const at = left.findIndex((one) => isSameContent(one, answer));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** What the expert has written: beside a decision, the comment. */
export const writtenText = ({ text, answer }: AnswerContent, isEncrypted: boolean): string =>
  answer && !isEncrypted ? (answer.comment ?? '') : text;

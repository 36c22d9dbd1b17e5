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

/** What the expert has written: beside a decision, the comment. */
export const writtenText = ({ text, answer }: AnswerContent, isEncrypted: boolean): string =>
  answer && !isEncrypted ? (answer.comment ?? '') : text;

/** JSON has no bytes: those of files are written in base64. */
export const writeAnswers = (answers: readonly AnswerContent[]): string =>
  JSON.stringify(answers, (_, value) => (value instanceof Uint8Array ? { base64: toBase64(value) } : value));

export const readAnswers = <T extends AnswerContent>(json: string): T[] =>
  JSON.parse(json, (name, value) => (name === 'bytes' ? fromBase64(value.base64) : value));

/** More arguments at once could exceed the stack. */
const chunkLength = 8_192;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunkLength) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunkLength));
  }
  return btoa(binary);
}

const fromBase64 = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

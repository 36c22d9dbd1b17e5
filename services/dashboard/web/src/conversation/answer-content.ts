import type { UnsentAnswer } from '@expert-relay/sdk/expert';

/** What an answer says: a text, a decision about a form, and files. */
export type AnswerContent = Pick<UnsentAnswer, 'text' | 'answerText' | 'answerOf' | 'files'>;

/** The same answer: the SDK names its unsent answers by nothing else. */
export function isSameContent(one: AnswerContent, other: AnswerContent): boolean {
  const files = (content: AnswerContent) =>
    (content.files ?? []).map(({ name, bytes }) => [name, bytes.length]);
  return (
    one.text === other.text &&
    one.answerText === other.answerText &&
    JSON.stringify(files(one)) === JSON.stringify(files(other))
  );
}

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

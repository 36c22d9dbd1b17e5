import { toUtf8 } from '../crypto/bytes/utf8.ts';
import { tooLarge } from '../crypto/channel/refusals.ts';
import { invalidInput } from '../relay-error.ts';

/** So that its call stays below a mebibyte: encrypted and in base64, or as JSON. */
const longest = { encrypted: 775_000, plain: 1_040_000 };

/** Refuses now what could not be sent later. */
export function checkText(text: unknown, isPlain: boolean): void {
  if (typeof text !== 'string' || text === '') {
    throw invalidInput('Give a text that is not empty.');
  }
  const { length } = toUtf8(isPlain ? JSON.stringify(text) : text);
  const most = isPlain ? longest.plain : longest.encrypted;
  if (length > most) throw tooLarge(length, most);
}

import { toUtf8 } from '../crypto/bytes/utf8.ts';
import { tooLarge } from '../crypto/channel/refusals.ts';
import { invalidInput } from '../relay-error.ts';

/** Refuses now what could not be sent later. */
export function checkText(text: unknown, isPlain: boolean): void {
  if (typeof text !== 'string' || text === '') {
    throw invalidInput('Give a text that is not empty.');
  }
  const { length } = toUtf8(isPlain ? JSON.stringify(text) : text);
  // The call stays below 1 MiB: as JSON, or encrypted and in base64.
  const most = isPlain ? 1_040_000 : 775_000;
  if (length > most) throw tooLarge(length, most);
}

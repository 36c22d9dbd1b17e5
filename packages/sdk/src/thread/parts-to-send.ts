import { fromBase64 } from '../crypto/base64.ts';
import { type Bytes, toUtf8 } from '../crypto/bytes.ts';
import type { Part } from '../crypto/frame.ts';
import type { Role } from '../crypto/key-exchange.ts';
import { answerKind, checkParts, writeParts } from '../crypto/parts.ts';
import { tooLarge } from '../crypto/refusal.ts';
import { invalidInput } from '../relay-error.ts';

/** A file to send: at most 8 in a message, 700,000 bytes together. */
export interface FileToSend {
  /** 1 to 255 bytes in UTF-8. */
  readonly name: string;
  /** Such as `image/png`. Default: the type of the blob, else `application/octet-stream`. */
  readonly mediaType?: string | undefined;
  /** The content. */
  readonly bytes: Uint8Array | Blob;
}

/** What a message is to carry besides its text. */
export interface PartsToSend {
  /** JSON text. */
  readonly answerForm?: string | undefined;
  /** `of` names the form, in base64. `json` is JSON text. */
  readonly answer?: { readonly of: string; readonly json: string } | undefined;
  readonly files?: readonly FileToSend[] | undefined;
}

/** With blobs it is a promise, since these have to be read. */
export function makeParts({
  answerForm,
  answer,
  files = [],
}: PartsToSend): readonly Part[] | Promise<readonly Part[]> {
  const write = (contents: readonly Uint8Array[]) =>
    writeParts({
      form: answerForm,
      answer: answer && { of: fromBase64(answer.of) ?? new Uint8Array(), json: answer.json },
      files: files.map(({ name, mediaType, bytes }, at) => ({
        name,
        mediaType: mediaType ?? typeOf(bytes),
        bytes: contents[at] as Bytes,
      })),
    });
  const given = files.map(({ bytes }) => bytes);
  if (!given.some(isBlob)) return write(given as readonly Uint8Array[]);
  const reading = given.map(async (one) => (isBlob(one) ? new Uint8Array(await one.arrayBuffer()) : one));
  return Promise.all(reading).then(write);
}

const isBlob = (bytes: Uint8Array | Blob): bytes is Blob => 'arrayBuffer' in bytes;

/** A blob may state parameters, or nothing. */
const typeOf = (bytes: Uint8Array | Blob): string =>
  (isBlob(bytes) && bytes.type.split(';', 1)[0]?.trim()) || 'application/octet-stream';

/** Refuses a message that could not be sent later. */
export function checkMessage(
  text: unknown,
  parts: readonly Part[],
  { role, agentSentKeys }: { readonly role: Role; readonly agentSentKeys: boolean },
  isPlain: boolean,
): void {
  checkParts(parts, role);
  if (isPlain && parts.some(({ kind }) => kind !== answerKind)) {
    throw invalidInput('Files and forms need encryption: leave them out.');
  }
  if (isPlain && parts.length > 0 && agentSentKeys) {
    throw invalidInput('The agent takes only an encrypted answer to its form. Give the expert its `root`.');
  }
  if (typeof text !== 'string' || (text === '' && (isPlain || parts.length === 0))) {
    throw invalidInput('Give a text that is not empty.');
  }
  const { length } = toUtf8(isPlain ? JSON.stringify(text) : text);
  // JSON escapes a byte of the answer with at most six.
  const beside = parts.reduce((sum, { body }) => sum + body.length * (isPlain ? 6 : 1), 0);
  // The call must stay below 1 MiB, as JSON or encrypted and in base64.
  const most = (isPlain ? 1_040_000 : 775_000) - beside;
  if (length > most) throw tooLarge(length, most);
}

import { invalidInput, RelayError } from '../relay-error.ts';
import { type Bytes, concat, fromUtf8, readBytes, toUtf8, tuple } from './bytes.ts';
import type { Part } from './frame.ts';
import type { Role } from './key-exchange.ts';
import { malformedFrame } from './refusal.ts';

/** An answer to a form. */
export interface AnswerPart {
  /** 32 bytes that name the form: the digest of the submit that has it, or the hash of the message that has it. */
  readonly of: Bytes;
  /** JSON text. */
  readonly json: string;
}

/** A file in a message. */
export interface FilePart {
  /** As its sender wrote it: it may contain anything that UTF-8 can. */
  readonly name: string;
  /** `type/subtype`, as its sender states it. */
  readonly mediaType: string;
  /** The content. */
  readonly bytes: Bytes;
}

/** The parts of a message whose meaning is known. */
export interface KnownParts {
  /** JSON text. */
  readonly form?: string | undefined;
  readonly answer?: AnswerPart | undefined;
  readonly files?: readonly FilePart[] | undefined;
}

export const formKind = 1;
export const answerKind = 2;
export const fileKind = 3;
/** Parts from this kind on are notes: they change nothing of what their message means. */
export const firstNoteKind = 64;

const linkLength = 32;
const maxFormBytes = 8_192;
const maxAnswerBytes = 65_536;
const maxFiles = 8;
const maxNameBytes = 255;
const maxMediaTypeBytes = 127;
/** All files of a message together. The text beside them may then have 75,000 bytes. */
const maxFileBytes = 700_000;

/** The names of RFC 6838, without parameters. */
const mediaTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i;

/**
 * The parts of a message, as `seal` takes them.
 *
 * @throws RelayError `invalid_input`, `message_too_large`
 *
 * @example
 * const parts = writeParts({ form: JSON.stringify({ type: 'object', properties: {} }) });
 * const message = await channel.seal('May I?', { parts });
 */
export function writeParts({ form, answer, files = [] }: KnownParts): readonly Part[] {
  const parts: Part[] = [];
  const add = (kind: number, ...body: readonly Uint8Array[]) => parts.push({ kind, body: concat(...body) });
  if (form !== undefined) add(formKind, limited(form, maxFormBytes));
  if (answer && answer.of.length !== linkLength) throw invalidInput('Give the `of` of a form: 32 bytes.');
  if (answer) add(answerKind, answer.of, limited(answer.json, maxAnswerBytes));
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > maxFileBytes) {
    throw new RelayError(
      'message_too_large',
      `The files have ${size} bytes, a message at most ${maxFileBytes}. Send them in several messages.`,
    );
  }
  for (const { name, mediaType, bytes } of files) add(fileKind, tuple(name, mediaType), bytes);
  return parts;
}

function limited(json: string, most: number): Bytes {
  const bytes = toUtf8(json);
  if (bytes.length <= most) return bytes;
  throw invalidInput(`The form or answer has ${bytes.length} bytes as JSON: shorten it to ${most}.`);
}

/** @throws RelayError `invalid_input` when a message of this role cannot have these parts. */
export const checkParts = (parts: readonly Part[], role: Role): void =>
  void readParts(parts, role, (why) => invalidInput(`This message ${why}.`));

/** The parts of a message, and whether it has others. */
export interface ReadParts extends KnownParts {
  /** Whether a part cannot be shown. */
  readonly hasUnknown: boolean;
  /** Whether such a part could change what the message means, since it is no note. Then an answer does not count. */
  readonly isUncertain: boolean;
}

const isUnknown = (kind: number): boolean => kind < formKind || kind > fileKind;

/**
 * The parts of a message whose meaning is known, and whether it has others.
 *
 * @throws RelayError `malformed_frame`, unless `refused` gives another error.
 *
 * @example
 * const { parts } = await channel.open(record);
 * const { answer, files = [] } = readParts(parts, record.role);
 */
export function readParts(
  parts: readonly Part[],
  role: Role,
  refused: (why: string) => Error = malformedFrame,
): ReadParts {
  function bodiesOf(kind: number, most: number): readonly Bytes[] {
    const bodies = parts.filter((part) => part.kind === kind).map(({ body }) => body);
    return bodies.length > most ? refuse('has parts that its side cannot send, or too many') : bodies;
  }
  const text = (bytes: Bytes) => fromUtf8(bytes) ?? refuse('has a part that is not UTF-8');
  const reader = (body: Bytes) => readBytes(body, () => refused('has a part that is cut off'));
  function refuse(why: string): never {
    throw refused(why);
  }

  function readAnswer(body: Bytes): AnswerPart {
    const { take, rest } = reader(body);
    return { of: take(linkLength), json: text(rest()) };
  }

  function readFile(body: Bytes): FilePart {
    const { takeSized, rest } = reader(body);
    const [name, mediaType] = [takeSized(), text(takeSized())];
    const isNamed = name.length > 0 && name.length <= maxNameBytes;
    const isTyped = mediaType.length <= maxMediaTypeBytes && mediaTypePattern.test(mediaType);
    if (!isNamed || !isTyped) refuse('has a file without a valid name, or without a type like image/png');
    return { name: text(name), mediaType, bytes: rest() };
  }

  const isAgent = role === 'consumer';
  const [form] = bodiesOf(formKind, isAgent ? 1 : 0);
  const [answer] = bodiesOf(answerKind, isAgent ? 0 : 1);
  const files = bodiesOf(fileKind, maxFiles).map(readFile);
  return {
    ...(form && { form: text(form) }),
    ...(answer && { answer: readAnswer(answer) }),
    ...(files.length > 0 && { files }),
    hasUnknown: parts.some(({ kind }) => isUnknown(kind)),
    isUncertain: parts.some(({ kind }) => isUnknown(kind) && kind < firstNoteKind),
  };
}

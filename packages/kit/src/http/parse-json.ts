import { Problem } from '../problem/index.ts';

const maxDepth = 32;
/** Members of objects and entries of lists, all of them together. */
const maxValues = 10_000;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses JSON so strictly that all parsers read it in the same way: valid UTF-8, one object, limited depth and number of
 * values, no duplicate member, no `__proto__`, no text that Postgres cannot store unchanged, and no number that would
 * become `null`.
 */
export function parseJson(bytes: Buffer): Record<string, unknown> {
  const members = countMembers(bytes);
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse('The body must be one JSON object.');
  }
  // Of two members with one name, JSON.parse keeps the last one, so fewer are left than were sent.
  if (inspect(value) !== members) refuse('An object contains the same member twice.');
  return value as Record<string, unknown>;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return refuse('The body is not valid JSON in UTF-8.');
  }
}

/**
 * Counts the members by their colons before anything is parsed, and refuses a body that is nested too deeply or contains
 * too many values. Each member and each entry follows a comma or an opening bracket, so these two are counted; an empty
 * list or object counts as one more.
 */
function countMembers(bytes: Buffer): number {
  let depth = 0;
  let members = 0;
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case 0x22: // "
        i = endOfString(bytes, i);
        break;
      case 0x3a: // :
        members++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++depth > maxDepth) refuse(`The body is nested more than ${maxDepth} levels deep.`);
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
    if (values > maxValues) refuse(tooManyValues);
  }
  return members;
}

const tooManyValues =
  'The body holds more than 10,000 members and list entries, counted together: send less in one call.';

/** The index of the closing quote of the string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== 0x22) i += bytes[i] === 0x5c ? 2 : 1;
  return i;
}

/** Counts the members that are left, and refuses characters that no text or name may contain. */
function inspect(value: unknown): number {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new Problem('nul_character');
    if (!value.isWellFormed()) throw new Problem('lone_surrogate');
    return 0;
  }
  // JSON.parse returns infinity for a number beyond the range of a double, and JSON.stringify would write null for it.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    refuse('A number is beyond the range of a double (about 1.8e308): send it as a text.');
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + inspect(entry), 0);
  return Object.entries(value).reduce((sum, [name, entry]) => {
    if (name === '__proto__') refuse('A member must not be called __proto__.');
    return sum + 1 + inspect(name) + inspect(entry);
  }, 0);
}

function refuse(detail: string): never {
  throw new Problem('invalid_json', { detail });
}

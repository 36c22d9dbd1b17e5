import { Problem } from '../problem/index.ts';

const maxDepth = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * JSON as strictly as two readers must agree on it: valid UTF-8, one object, bounded depth, no
 * member twice, no `__proto__`, no text that Postgres could not keep to the byte, and no number that
 * would come out as `null`.
 */
export function parseJson(bytes: Buffer): Record<string, unknown> {
  const members = countMembers(bytes);
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse('The body must be one JSON object.');
  }
  // Parsing keeps the last of two members with one name: then fewer are left than were written.
  if (inspect(value) !== members) refuse('A member stands twice in one object.');
  return value as Record<string, unknown>;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return refuse('The body is not valid JSON in UTF-8.');
  }
}

/** Walks the bytes before any parser does: refuses too deep a nesting and counts `name: value` pairs. */
function countMembers(bytes: Buffer): number {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case 0x22: // "
        at = endOfString(bytes, at);
        break;
      case 0x3a: // :
        members++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) refuse(`The body is nested more than ${maxDepth} levels deep.`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return members;
}

function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(0x22, start + 1);
  while (end > 0 && isEscaped(bytes, end)) end = bytes.indexOf(0x22, end + 1);
  return end < 0 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

/** Counts the members that are left and refuses what must not be in any text or name. */
function inspect(value: unknown): number {
  if (typeof value === 'string') {
    if (value.includes('\0')) refuse('A text contains the character NUL (\\u0000), which cannot be kept.');
    if (!value.isWellFormed()) refuse('A text contains half of a surrogate pair, which is no character.');
    return 0;
  }
  // What JSON.parse makes of a number beyond a double's range would be written as null.
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

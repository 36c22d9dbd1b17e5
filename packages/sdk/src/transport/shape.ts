import { RelayError, type RelayErrorReason } from '../relay-error.ts';

export type Members = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/* Checks the relay's responses member by member: a hostile relay may send anything. */

export function members(value: unknown): Members {
  return isObject(value) ? value : unexpected('an object');
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function text(object: Members, name: string): string {
  return textOf(object[name]) ?? unexpected(`a text as \`${name}\``);
}

export function matching(object: Members, name: string, pattern: RegExp): string {
  const value = text(object, name);
  return pattern.test(value) ? value : unexpected(`another text as \`${name}\``);
}

/** A missing member and `null` mean the same. */
export function optionalText(object: Members, name: string): string | undefined {
  return (object[name] ?? undefined) === undefined ? undefined : text(object, name);
}

export function count(object: Members, name: string): number {
  const value = object[name];
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : unexpected(`a number as \`${name}\``);
}

export function list<T>(object: Members, name: string, read: (member: Members) => T): T[] {
  const value = object[name];
  return Array.isArray(value) ? value.map((one) => read(members(one))) : unexpected(`a list as \`${name}\``);
}

export function oneOf<const T extends string>(object: Members, name: string, values: readonly T[]): T {
  const value = text(object, name);
  return values.find((one) => one === value) ?? unexpected(`${values.join(' or ')} as \`${name}\``);
}

export function unexpected(expected: string, reason: RelayErrorReason = 'unexpected_answer'): never {
  throw new RelayError(reason, `The answer is not a relay's: expected ${expected}. Check the address.`);
}

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

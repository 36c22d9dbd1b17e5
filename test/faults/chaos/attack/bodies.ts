import type { Random } from '../../plan/random.ts';
import { pickWeighted } from './call.ts';

const mebibyte = 1_048_576;

type Json = Record<string, unknown>;

/** Bodies of about a mebibyte that are expensive to read. */
export const largeBodies: Readonly<Record<string, (apiKey: string) => string>> = {
  '333,333 empty messages': (apiKey) =>
    `{"apiKey":"${apiKey}","messages":[${'{},'.repeat(333_000)}{}],"question":"?"}`,
  'a mebibyte of short members': (apiKey) => `{"apiKey":"${apiKey}",${shortMembers()}}`,
  '400,000 levels of arrays': (apiKey) => `{"apiKey":"${apiKey}","messages":${'['.repeat(400_000)}`,
  '150,000 closed levels of objects': (apiKey) =>
    `{"apiKey":"${apiKey}","messages":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`,
  'a question of a mebibyte': (apiKey) =>
    JSON.stringify({ apiKey, messages: [], question: 'q'.repeat(mebibyte - 200), plaintext: 'p' }),
  'text of a mebibyte': () => JSON.stringify({ role: 'consumer', plaintext: 'x'.repeat(mebibyte - 100) }),
  'a mebibyte of escapes': () => `{"role":"consumer","plaintext":"${'\\u0041'.repeat(mebibyte / 6 - 20)}"}`,
  '100,000 topics': () => `{"topics":[${'"/svc/x",'.repeat(100_000)}"/svc/x"]}`,
  'more than a mebibyte': () => JSON.stringify({ plaintext: 'x'.repeat(mebibyte + 10) }),
  'a mebibyte of blanks': () => `{${' '.repeat(mebibyte - 10)}}`,
  'a number of a mebibyte': () => `{"graceSeconds":${'9'.repeat(mebibyte - 100)}}`,
};

let members: string | undefined;
function shortMembers(): string {
  members ??= Array.from({ length: 95_000 }, (_, index) => `"${index.toString(36)}":0`).join(',');
  return members;
}

/** Small texts that are not JSON, or not the expected JSON. */
const brokenTexts = [
  '',
  '{',
  '{}',
  '[]',
  'null',
  '""',
  '0',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{}}}',
  '{"apiKey":["hs_"],"messages":{},"question":1e999}',
  '{"messages":[null],"apiKey":null}',
  '{"messages":[{"role":{},"content":[]}]}',
  '{"role":"provider","encrypted":{"iv":1},"signature":[]}',
  '{"plaintext":"\\ud800"}',
  '{"plaintext":"\\u0000"}',
  '{"topics":["/svc/providers/../x","/svc/requests/*"]}',
  '{"graceSeconds":-1}',
  '{"vault":null}',
  '{"a":1,"a":2}',
  '\ufeff{}',
  '{"a":NaN}',
  'user=dev&user=x',
  "{'role':'x'}",
];

/** A valid body most of the time, else one with a changed member, or not JSON. */
export function mutateBody(random: Random, good: Json): Buffer {
  return pickWeighted<() => Buffer>(random, [
    [6, () => Buffer.from(JSON.stringify(good))],
    [3, () => Buffer.from(JSON.stringify(mutateMember(random, good)))],
    [2, () => Buffer.from(random.pick(brokenTexts))],
    [1, () => cut(random, Buffer.from(JSON.stringify(good)))],
    [1, () => randomBytes(random, random.integer(1, 300))],
  ])();
}

const oddValues: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '\0',
  'x'.repeat(5_000),
  [],
  {},
  [[[[]]]],
  Array.from({ length: 300 }, () => ({})),
  'hs_',
  '-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----',
];

function mutateMember(random: Random, good: Json): Json {
  const name = random.pick([...Object.keys(good), 'unknown']);
  return { ...good, [name]: random.pick(oddValues) };
}

export const cut = (random: Random, bytes: Buffer): Buffer =>
  bytes.subarray(0, random.integer(0, Math.max(0, bytes.length - 1)));

export const randomBytes = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.integer(0, 255)));

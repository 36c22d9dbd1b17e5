import type { Random } from '../../plan/random.ts';

export type Header = readonly [name: string, value: string];

/** A request before it is encoded. Mutations change it, and `encodeCall` makes the bytes. */
export interface Call {
  method: string;
  target: string;
  version: string;
  headers: Header[];
  body: Buffer;
  framing: 'length' | 'chunked' | 'none';
  /** Between the lines of the head. */
  newline: string;
  /** Replaces the whole body with its framing, if a mutation has set it. */
  rawBody?: Buffer;
}

export function makeCall(method: string, target: string, headers: Header[], body?: Buffer): Call {
  const framing = body === undefined ? 'none' : 'length';
  const bytes = body ?? Buffer.alloc(0);
  return { method, target, version: 'HTTP/1.1', headers, body: bytes, framing, newline: '\r\n' };
}

/** The bytes of a call. Headers are encoded as latin1, so that they can contain any byte. */
export function encodeCall(call: Call, random: Random): Buffer {
  const { method, target, version, headers, body, framing, newline, rawBody } = call;
  const framingHeaders: Header[] = [];
  if (framing === 'length') framingHeaders.push(['content-length', String(body.length)]);
  if (framing === 'chunked') framingHeaders.push(['transfer-encoding', 'chunked']);
  const lines = [...headers, ...framingHeaders].map(([name, value]) => `${name}: ${value}`);
  const line = [method, target, version].filter((part) => part !== '').join(' ');
  const head = Buffer.from([line, ...lines, '', ''].join(newline), 'latin1');
  return Buffer.concat([head, rawBody ?? (framing === 'chunked' ? inChunks(body, random) : body)]);
}

/** A body in chunks of random sizes. */
export function inChunks(body: Buffer, random: Random): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, random.integer(1, Math.max(1, body.length)));
    pieces.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

/** Picks one of several choices; its weight decides how often it is picked. */
export function pickWeighted<T>(
  random: Random,
  choices: readonly (readonly [weight: number, choice: T])[],
): T {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let rest = random.next() * total;
  for (const [weight, choice] of choices) {
    rest -= weight;
    if (rest < 0) return choice;
  }
  return choices.at(-1)?.[1] as T;
}

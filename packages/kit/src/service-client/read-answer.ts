import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/index.ts';

/** The JSON of a good answer; anything else between services is nobody's fault outside. */
export async function readAnswer<T>(answer: IncomingMessage): Promise<T> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const status = answer.statusCode ?? 0;
  if (status >= 500) throw new Problem('unavailable', { headers: { 'retry-after': '5' } });
  if (status >= 300) throw new Error(`a service answered ${status} to another`);
  return (text ? JSON.parse(text) : undefined) as T;
}

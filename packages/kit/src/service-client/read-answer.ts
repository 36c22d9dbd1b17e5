import type { IncomingMessage } from 'node:http';
import { Problem, type ProblemCode } from '../problem/index.ts';

/** The JSON of an answer of another service. A failure in there is not the fault of the client. */
export async function readAnswer<T>(answer: IncomingMessage): Promise<T> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const status = answer.statusCode ?? 0;
  if (status >= 500) throw new Problem(codeOf(status, text), { headers: { 'retry-after': '5' } });
  if (status >= 300) throw new Error(`a service answered ${status} to another`);
  return (text ? JSON.parse(text) : undefined) as T;
}

function codeOf(status: number, text: string): ProblemCode {
  if (status !== 502) return 'unavailable';
  return text.includes('"error":"principal_refused"') ? 'principal_refused' : 'bad_gateway';
}

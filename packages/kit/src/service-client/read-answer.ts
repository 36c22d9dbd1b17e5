import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { Problem, type ProblemCode } from '../problem/index.ts';

/** The JSON of an answer of another service. A failure in there is not the fault of the client. */
export async function readAnswer<T>(answer: IncomingMessage): Promise<T> {
  const text = await readText(answer).catch((cause) => {
    // The service client has logged it.
    throw new Problem('bad_gateway', { headers: { 'retry-after': '5' }, cause });
  });
  const status = answer.statusCode ?? 0;
  if (status >= 500) throw new Problem(codeOf(status, text), { headers: { 'retry-after': '5' } });
  if (status >= 300) throw new Error(`a service answered ${status} to another`);
  return (text ? JSON.parse(text) : undefined) as T;
}

function codeOf(status: number, text: string): ProblemCode {
  if (status !== 502) return 'unavailable';
  return text.includes('"error":"principal_refused"') ? 'principal_refused' : 'bad_gateway';
}

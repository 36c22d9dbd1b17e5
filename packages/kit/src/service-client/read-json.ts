import { Problem, type ProblemCode } from '../problem/index.ts';
import { responseTooLarge } from './failures.ts';
import type { ServiceResponse } from './pending-call.ts';

/** The longest response that a service reads whole. The longest one that is expected has 300 KB: 1,000 revocations. */
const maxResponseBytes = 1_048_576;

/** Reads the text of another service's response. A failure of that service is not the fault of the client. */
export async function readText(response: ServiceResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of response) {
      size += piece.length;
      if (size > maxResponseBytes) response.destroy(tooLargeError());
      else pieces.push(piece);
    }
  } catch (cause) {
    // The service client has logged it.
    throw new Problem('bad_gateway', { headers: { 'retry-after': '5' }, cause });
  }
  return Buffer.concat(pieces).toString('utf8');
}

const tooLargeError = (): Error =>
  Object.assign(new Error(`the response has more than ${maxResponseBytes} bytes`), {
    code: responseTooLarge,
  });

/** Reads the JSON of another service's response. */
export async function readJson<T>(response: ServiceResponse): Promise<T> {
  const text = await readText(response);
  const status = response.statusCode;
  if (status >= 500) throw new Problem(codeOf(status, text), { headers: { 'retry-after': '5' } });
  if (status >= 300) throw new Error(`a service responded with ${status} to another`);
  return (text ? JSON.parse(text) : undefined) as T;
}

function codeOf(status: number, text: string): ProblemCode {
  if (status !== 502) return 'unavailable';
  return text.includes('"error":"principal_refused"') ? 'principal_refused' : 'bad_gateway';
}

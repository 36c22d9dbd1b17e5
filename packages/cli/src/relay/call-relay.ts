import { Failure } from '../failure.ts';
import type { Access } from '../settings/require-relay.ts';
import { describeTime } from '../terminal/describe-duration.ts';
import { quoteProblem } from './quote-problem.ts';
import { isTooLarge, readAnswer } from './read-answer.ts';

/** A call that the SDK does not have: the vault, and the lists that `relay show` prints. */
export interface RelayCall {
  method?: 'GET' | 'PUT' | 'POST';
  path: string;
  body?: unknown;
  ifMatch?: string | undefined;
  signal: AbortSignal;
  /** The longest answer that is read. */
  mebibytes?: number;
}

export interface RelayAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | undefined;
}

const patience = 30_000;

/** Fails with a sentence when the relay is away or busy, or refuses the key. Other answers are for the caller. */
export async function callRelay({ url, apiKey }: Access, call: RelayCall): Promise<RelayAnswer> {
  const { method = 'GET', path, body, ifMatch, signal, mebibytes } = call;
  try {
    const answer = await fetch(url + path, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    const { status, headers } = answer;
    const said = await readAnswer(answer, mebibytes).catch((error: unknown) => {
      // Such a status says what is wrong without a body.
      if (!isRefusal(status) || !isTooLarge(error)) throw error;
    });
    const refusal = refusalOf(answer, said, url);
    if (refusal) throw refusal;
    return { status, body: said, etag: headers.get('etag') ?? undefined };
  } catch (error) {
    if (error instanceof Failure) throw error;
    signal.throwIfAborted();
    throw new Failure('unreachable', `The relay at ${url} does not answer.`, {
      hint: 'See what is wrong: relay doctor',
      cause: error,
    });
  }
}

const isRefusal = (status: number): boolean => [401, 403, 429].includes(status) || status >= 500;

function refusalOf({ status, headers }: Response, body: unknown, url: string): Failure | undefined {
  if (status === 401 || status === 403) {
    const sentence = `The relay does not take this key: it was revoked, or is of another relay. Set RELAY_API_KEY anew.`;
    return new Failure('refused', `${quoteProblem(status, body)} ${sentence}`.trim());
  }
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || 60;
    const sentence = `Too many calls came from this address (${status}). Try again after ${describeTime(Date.now() + seconds * 1_000)}.`;
    return new Failure('unreachable', `${quoteProblem(status, body)} ${sentence}`.trim(), {
      code: 'rate_limited',
    });
  }
  if (status >= 500) {
    const sentence = `The relay at ${url} is too busy (${status}). Try again in a minute.`;
    return new Failure('unreachable', `${quoteProblem(status, body)} ${sentence}`.trim());
  }
  return undefined;
}

import { RelayError } from '@expert-relay/sdk';
import { parseJson, quoteProblem, readText, withTimeout } from '@expert-relay/sdk/transport';
import { Failure } from '../failure.ts';
import { describeTime } from '../terminal/describe-duration.ts';
import type { Access } from './require-relay.ts';
import { timing } from './timing.ts';

/** A call that a command makes itself: requests as the relay lists them, closing, the vault, webhooks. */
export interface RelayCall {
  method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  ifMatch?: string | undefined;
  signal: AbortSignal;
}

export interface RelayAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | undefined;
}

/** Throws a Failure when the relay is not reachable, is busy, or refuses the key. The caller handles other answers. */
export async function callRelay({ url, apiKey }: Access, call: RelayCall): Promise<RelayAnswer> {
  const { method = 'GET', path, body, ifMatch, signal } = call;
  try {
    const init: RequestInit = {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
    };
    const answer = await fetchAnswer(url + path, init, { timeoutMs: timing.call, signal });
    const { status, headers } = answer.response;
    const refusal = refusalOf(answer.response, answer.body, url);
    if (refusal) throw refusal;
    if (answer.tooLarge) throw answer.tooLarge;
    return { status, body: answer.body, etag: headers.get('etag') ?? undefined };
  } catch (error) {
    if (error instanceof Failure || isTooLarge(error)) throw error;
    signal.throwIfAborted();
    throw new Failure('unreachable', `The relay at ${url} does not answer.`, {
      hint: 'See what is wrong: relay doctor',
      cause: error,
    });
  }
}

function refusalOf({ status, headers }: Response, body: unknown, url: string): Failure | undefined {
  if (status === 401 || status === 403) {
    const sentence = `The relay does not accept this key: it was revoked, or belongs to another relay. Set RELAY_API_KEY again.`;
    return new Failure('refused', `${describeProblem(status, body)} ${sentence}`.trim());
  }
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || 60;
    const sentence = `Too many calls came from this address (${status}). Try again after ${describeTime(Date.now() + seconds * 1_000)}.`;
    return new Failure('unreachable', `${describeProblem(status, body)} ${sentence}`.trim(), {
      code: 'rate_limited',
    });
  }
  if (status >= 500) {
    const sentence = `The relay at ${url} is too busy (${status}). Try again in a minute.`;
    return new Failure('unreachable', `${describeProblem(status, body)} ${sentence}`.trim());
  }
  return undefined;
}

/** What the relay says about an error, with its status; empty when it says nothing. */
export function describeProblem(status: number, body: unknown): string {
  const quoted = quoteProblem(body);
  return quoted && `${quoted} (HTTP ${status})`;
}

export const isTooLarge = (error: unknown): boolean =>
  error instanceof RelayError && error.code === 'answer_too_large';

/** An answer, and its JSON: undefined when it is none. */
interface FetchedAnswer {
  readonly response: Response;
  readonly body: unknown;
  /** Set when the answer was too long to read. */
  readonly tooLarge: RelayError | undefined;
}

/** Fetches an answer and reads it, in limited time and memory, whatever the server sends. */
export function fetchAnswer(
  url: string,
  init: RequestInit,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<FetchedAnswer> {
  return withTimeout(timeoutMs, signal, async (inTime) => {
    const response = await fetch(url, { ...init, signal: inTime });
    try {
      return { response, body: parseJson(await readText(response, timeoutMs, inTime)), tooLarge: undefined };
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      return { response, body: undefined, tooLarge: error as RelayError };
    }
  });
}

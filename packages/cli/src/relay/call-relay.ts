import { Failure } from '../failure.ts';
import type { Access } from '../settings/require-relay.ts';

/** What the SDK has no call for: the vault, and the lists that `relay show` prints. */
export interface RelayCall {
  method?: 'GET' | 'PUT' | 'POST';
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

const patience = 30_000;

/** Fails with a sentence when the relay is away, busy or does not take the key; what else it answers is the caller's. */
export async function callRelay({ url, apiKey }: Access, call: RelayCall): Promise<RelayAnswer> {
  const { method = 'GET', path, body, ifMatch, signal } = call;
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url + path, {
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
    text = await answer.text();
  } catch (error) {
    signal.throwIfAborted();
    throw new Failure('unreachable', `The relay at ${url} does not answer. See what is wrong: relay doctor`, {
      cause: error,
    });
  }
  const { status, headers } = answer;
  if (status === 401 || status === 403) {
    throw new Failure(
      'refused',
      'The relay does not take this key: it was revoked, or is of another relay. Set RELAY_API_KEY anew.',
    );
  }
  if (status === 429 || status >= 500) {
    throw new Failure('unreachable', `The relay at ${url} is too busy (${status}). Try again in a minute.`);
  }
  return { status, body: parse(text), etag: headers.get('etag') ?? undefined };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

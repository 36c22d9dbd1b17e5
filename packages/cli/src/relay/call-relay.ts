import { Failure } from '../failure.ts';
import type { Access } from '../settings/require-relay.ts';
import { readAnswer } from './read-answer.ts';

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
    const refusal = refusalOf(status, url);
    if (refusal) {
      await answer.body?.cancel();
      throw refusal;
    }
    return { status, body: await readAnswer(answer, mebibytes), etag: headers.get('etag') ?? undefined };
  } catch (error) {
    if (error instanceof Failure) throw error;
    signal.throwIfAborted();
    throw new Failure('unreachable', `The relay at ${url} does not answer. See what is wrong: relay doctor`, {
      cause: error,
    });
  }
}

function refusalOf(status: number, url: string): Failure | undefined {
  if (status === 401 || status === 403) {
    return new Failure(
      'refused',
      'The relay does not take this key: it was revoked, or is of another relay. Set RELAY_API_KEY anew.',
    );
  }
  if (status === 429 || status >= 500) {
    return new Failure('unreachable', `The relay at ${url} is too busy (${status}). Try again in a minute.`);
  }
  return undefined;
}

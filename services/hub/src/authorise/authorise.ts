import type { IncomingMessage } from 'node:http';
import { parseTopic } from '@expert-relay/contracts';
import { Problem } from '@expert-relay/kit/problem';
import { StreamRefused } from '../http/refuse-stream.ts';
import { type ExchangeKey, notCovered, type StreamCall } from './exchange-key.ts';
import type { FailureLimit } from './limit-key-exchange.ts';
import type { Revocations } from './revocations.ts';
import type { Credential, VerifyStreamToken } from './stream-token.ts';

/** The credential that a call presents, not checked yet. */
export type PresentedCredential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly apiKey: string };

/** Refuses a call with two credentials, since it is not clear which of them the stream depends on. */
export function readCredential(
  request: IncomingMessage,
  query: URLSearchParams,
): PresentedCredential | undefined {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const inQuery = query.getAll('authorization');
  const presented: PresentedCredential[] = inQuery.map((token) => ({ kind: 'token', token }));
  if (authorization !== undefined) {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    presented.push({ kind: 'token', token });
  }
  if (apiKey !== undefined) presented.push({ kind: 'key', apiKey: String(apiKey) });
  if (presented.length <= 1) return presented[0];
  throw new Problem('invalid_request', {
    detail:
      'Send one credential: `Authorization: Bearer`, `x-api-key` or the query parameter `authorization`.',
  });
}

/**
 * The credential that a stream of these topics depends on; undefined for an anonymous one. Throws a problem when the
 * stream is not allowed, and `StreamRefused` when that cannot be checked now.
 */
export type Authorise = (
  presented: PresentedCredential | undefined,
  topics: readonly string[],
  call: StreamCall,
) => Promise<Credential | undefined>;

export function createAuthorise(options: {
  requireAuth: boolean;
  verify: VerifyStreamToken;
  exchange: ExchangeKey;
  revocations: Pick<Revocations, 'hasEnded' | 'areComplete'>;
  failures: FailureLimit;
}): Authorise {
  const { requireAuth, verify, exchange, revocations, failures } = options;

  async function check(...[presented, topics, call]: Parameters<Authorise>): ReturnType<Authorise> {
    if (!presented) {
      // The id of a request is enough to subscribe to it, as it is enough to poll it.
      if (!requireAuth && topics.every((topic) => parseTopic(topic)?.kind === 'request')) return undefined;
      throw unauthorized('These topics need a credential: a stream token or an API key.');
    }
    const grant =
      presented.kind === 'token'
        ? await verify(presented.token)
        : await exchange(presented.apiKey, topics, call);
    // A key was checked by the requests service just now.
    if (grant && presented.kind === 'token' && !revocations.areComplete) throw new StreamRefused('starting');
    if (!grant || revocations.hasEnded(grant.credential)) {
      throw unauthorized(
        'The credential is not valid, or was revoked. Fetch a new stream token, or check the key.',
      );
    }
    if (!topics.every((topic) => grant.topics.has(topic))) throw notCovered();
    return grant.credential;
  }

  return async (presented, topics, call) => {
    try {
      return await check(presented, topics, call);
    } catch (error) {
      const isFailure = error instanceof Problem && (error.status === 401 || error.status === 403);
      if (isFailure && failures.add(call.network)) throw new StreamRefused('too_many_failures');
      throw error;
    }
  };
}

const unauthorized = (detail: string) =>
  new Problem('unauthorized', { detail, headers: { 'www-authenticate': 'Bearer' } });

import { parseTopic } from '@expert-relay/contracts';
import { Problem } from '@expert-relay/kit/problem';
import { TurnedAway } from '../turned-away.ts';
import type { Credential } from './credential.ts';
import { type ExchangeKey, notCovered } from './exchange-key.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { Caller, Presented } from './presented.ts';
import type { Revocations } from './revocations.ts';
import type { VerifyStreamToken } from './verify-stream-token.ts';

/**
 * The credential that a stream of these topics rests on; undefined for an anonymous one. Throws a problem when the
 * stream is not allowed, and `TurnedAway` when that cannot be found out for now.
 */
export type Authorise = (
  presented: Presented | undefined,
  topics: readonly string[],
  caller: Caller,
) => Promise<Credential | undefined>;

export function createAuthorise(options: {
  requireAuth: boolean;
  verify: VerifyStreamToken;
  exchange: ExchangeKey;
  revocations: Pick<Revocations, 'hits'>;
  failures: FailureLimit;
}): Authorise {
  const { requireAuth, verify, exchange, revocations, failures } = options;

  async function check(
    presented: Presented | undefined,
    topics: readonly string[],
    caller: Caller,
  ): Promise<Credential | undefined> {
    if (!presented) {
      // A request's id is enough to listen to it, as it is enough to poll it.
      if (!requireAuth && topics.every((topic) => parseTopic(topic)?.kind === 'request')) return undefined;
      throw unauthorized('These topics need a credential: a stream token or an API key.');
    }
    const token =
      presented.kind === 'token' ? presented.token : await exchange(presented.apiKey, topics, caller);
    const grant = await verify(token);
    if (!grant || revocations.hits(grant.credential)) {
      throw unauthorized(
        'The credential is not valid, or not any more. Fetch a new stream token, or check the key.',
      );
    }
    if (!topics.every((topic) => grant.topics.has(topic))) throw notCovered();
    return grant.credential;
  }

  return async (presented, topics, caller) => {
    try {
      return await check(presented, topics, caller);
    } catch (error) {
      const isFailure = error instanceof Problem && (error.status === 401 || error.status === 403);
      if (isFailure && failures.add(caller.network)) throw new TurnedAway('too_many_failures');
      throw error;
    }
  };
}

const unauthorized = (detail: string) =>
  new Problem('unauthorized', { detail, headers: { 'www-authenticate': 'Bearer' } });

import { parseTopic } from '@expert-relay/contracts';
import { Problem } from '@expert-relay/kit/problem';
import type { Credential } from './credential.ts';
import { type ExchangeKey, notCovered } from './exchange-key.ts';
import type { Presented } from './presented.ts';
import type { Revocations } from './revocations.ts';
import type { VerifyStreamToken } from './verify-stream-token.ts';

/** Says what a stream of these topics rests on: a credential, or nothing. Throws a problem when it may not be. */
export type Authorise = (
  presented: Presented | undefined,
  topics: readonly string[],
) => Promise<Credential | undefined>;

export function createAuthorise(options: {
  requireAuth: boolean;
  verify: VerifyStreamToken;
  exchange: ExchangeKey;
  revocations: Pick<Revocations, 'hits'>;
}): Authorise {
  const { requireAuth, verify, exchange, revocations } = options;

  return async (presented, topics) => {
    if (!presented) {
      // Who knows a request's id may listen to it, as it may poll it.
      if (!requireAuth && topics.every((topic) => parseTopic(topic)?.kind === 'request')) return undefined;
      throw unauthorized('These topics need a credential: a stream token or an API key.');
    }
    const token = presented.kind === 'token' ? presented.token : await exchange(presented.apiKey, topics);
    const grant = await verify(token);
    if (!grant || revocations.hits(grant.credential)) {
      throw unauthorized(
        'The credential is not valid, or not any more. Fetch a new stream token, or check the key.',
      );
    }
    if (!topics.every((topic) => grant.topics.has(topic))) throw notCovered();
    return grant.credential;
  };
}

const unauthorized = (detail: string) =>
  new Problem('unauthorized', { detail, headers: { 'www-authenticate': 'Bearer' } });

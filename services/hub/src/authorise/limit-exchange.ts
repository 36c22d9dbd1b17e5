import { parseApiKey } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import { Problem } from '@expert-relay/kit/problem';
import { TurnedAway } from '../turned-away.ts';
import type { ExchangeKey } from './exchange-key.ts';
import type { FailureLimit } from './failure-limit.ts';
import { digestOf, RecentDigests } from './recent-digests.ts';

/** Exchanges that wait for the requests service at once. A slow service must not gather calls without end. */
const mostWaiting = 256;
const mostWaitingPerNetwork = 64;

/** For how long a key that was refused is refused again without asking. A key that is created meanwhile waits as long. */
const refusedMs = 5_000;
/** For how long a key that was valid is asked for although its network has reached the limit of failures. */
const validMs = 300_000;
const mostRemembered = 10_000;

/** Keeps guesses, repetitions and crowds away from the requests service. */
export function limitExchange(options: {
  exchange: ExchangeKey;
  failures: FailureLimit;
  clock: Clock;
}): ExchangeKey {
  const { exchange, failures, clock } = options;
  const refused = new RecentDigests({ clock, lifeMs: refusedMs, most: mostRemembered });
  const valid = new RecentDigests({ clock, lifeMs: validMs, most: mostRemembered });
  const waiting = new Map<string, number>();
  let allWaiting = 0;

  function count(network: string, change: 1 | -1): void {
    allWaiting += change;
    const now = (waiting.get(network) ?? 0) + change;
    if (now === 0) waiting.delete(network);
    else waiting.set(network, now);
  }

  return async (apiKey, topics, caller) => {
    const { network } = caller;
    // A mistyped key is refused by its checksum.
    if (!parseApiKey(apiKey)) throw new Problem('unauthorized');
    const digest = digestOf(apiKey);
    if (refused.has(digest)) throw new Problem('unauthorized');
    // Others behind the same address may guess, so a key that was valid lately is still served.
    if (failures.isReached(network) && !valid.has(digest)) throw new TurnedAway('too_many_failures');
    const isBusy = allWaiting >= mostWaiting || (waiting.get(network) ?? 0) >= mostWaitingPerNetwork;
    if (isBusy) throw new TurnedAway('busy');

    count(network, 1);
    try {
      const token = await exchange(apiKey, topics, caller);
      valid.add(digest);
      return token;
    } catch (error) {
      const status = error instanceof Problem ? error.status : 0;
      if (status === 401) refused.add(digest);
      if (status === 401 || status === 403) valid.delete(digest);
      throw error;
    } finally {
      count(network, -1);
    }
  };
}

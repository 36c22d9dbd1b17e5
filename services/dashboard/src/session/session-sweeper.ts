import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import type { SessionKey, SessionStore } from './session-store.ts';

export interface SessionSweeper extends Part {
  /** Reports sessions that have just ended, without waiting for the next sweep. */
  sweepSoon(): void;
  /** Signs out the sessions whose user is not allowed any more. */
  signOutDisallowedSoon(): void;
}

const sweepIntervalMs = 1_000;
/** After a failure, this or another process retries after this time. */
const retryAfterMs = 3_000;
const batchSize = 20;

/**
 * Reports every session that has ended to requests, which ends its streams: by a sign-out, by its time limit, or because its user is no
 * longer allowed. For the last it reads all sessions at the start and after a change of the list, since a page that only reads its stream makes no calls.
 * Several processes may do this at the same time.
 */
export function createSessionSweeper(options: {
  store: SessionStore;
  reportEnd: (key: SessionKey, isSignedOut: boolean) => Promise<void>;
  /** Whether the operator still allows the user of a session. */
  isAllowed: IsAllowed;
  isConnected: () => boolean;
  clock: Clock;
  log: Log;
}): SessionSweeper {
  const { store, reportEnd, isAllowed, isConnected, clock, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let mustSignOut = true;
  let isFailing = false;

  async function signOutDisallowed(): Promise<void> {
    const [over, disallowed]: [SessionKey[], SessionKey[]] = [[], []];
    for await (const { key, user } of store.walk()) {
      if (!user) over.push(key);
      else if (!isAllowed(user.identity)) disallowed.push(key);
    }
    await store.end(over);
    await store.signOut(disallowed);
    if (disallowed.length > 0)
      log.info({ sessions: disallowed.length }, 'sessions that are no longer allowed have ended');
  }

  async function reportDueEnds(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const keys = await store.due(batchSize);
      await store.claimDue(keys, clock.now() + retryAfterMs);
      const results = await Promise.allSettled(
        keys.map(async (key) => {
          await reportEnd(key, await store.isSignedOut(key));
          await store.forget(key);
        }),
      );
      const failed = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
      if (failed) throw failed.reason;
      isMore = keys.length === batchSize;
    }
  }

  async function sweep(): Promise<void> {
    if (!isConnected()) return;
    try {
      if (mustSignOut) {
        // Before the list is read: a change during the walk causes another one.
        mustSignOut = false;
        await signOutDisallowed().catch((error) => {
          mustSignOut = true;
          throw error;
        });
      }
      await reportDueEnds();
      isFailing = false;
    } catch (error) {
      // Redis or the requests service is away: the next sweep tries again.
      if (!isFailing) {
        log.warn(
          { reason: (error as Error).message },
          'could not find ended sessions or report them: retrying',
        );
      }
      isFailing = true;
    }
  }

  async function run(): Promise<void> {
    do {
      again = false;
      await sweep();
    } while (again);
  }

  function sweepSoon(): void {
    again = true;
    running ??= run().finally(() => {
      running = undefined;
    });
  }

  return {
    name: 'session sweeper',
    sweepSoon,
    signOutDisallowedSoon() {
      mustSignOut = true;
      sweepSoon();
    },
    async start() {
      timer = setInterval(sweepSoon, sweepIntervalMs);
      sweepSoon();
    },
    async stop() {
      clearInterval(timer);
      again = false;
      await running;
    },
  };
}

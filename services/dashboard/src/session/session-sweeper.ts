import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { SessionKey, SessionStore, SignedIn } from './session-store.ts';

export interface SessionSweeper extends Part {
  /** Ends the streams of sessions that have just ended, without waiting for the next sweep. */
  sweepSoon(): void;
  /** Ends the sessions whose user is not allowed any more. */
  endInvalidSoon(): void;
}

const sweepIntervalMs = 1_000;
/** After a failure, this or another process retries after this time. */
const retryAfterMs = 3_000;
const batchSize = 20;

/**
 * Ends the streams of every session that has ended: by a sign-out, by its time limit, or because its user is no longer allowed. For the
 * last it reads all sessions at the start and after a change of the list, since a page that only reads its stream makes no calls.
 * Several processes may do this at the same time.
 */
export function createSessionSweeper(options: {
  store: SessionStore;
  endStreams: (key: SessionKey, isSignedOut: boolean) => Promise<void>;
  /** Whether the user of a session is still allowed. */
  isValid: (user: SignedIn) => boolean;
  isConnected: () => boolean;
  clock: Clock;
  log: Log;
}): SessionSweeper {
  const { store, endStreams, isValid, isConnected, clock, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let mustEndInvalid = true;
  let isFailing = false;

  async function endInvalid(): Promise<void> {
    const [over, invalid]: [SessionKey[], SessionKey[]] = [[], []];
    for await (const { key, user } of store.walk()) {
      if (!user) over.push(key);
      else if (!isValid(user)) invalid.push(key);
    }
    await store.end(over);
    await store.signOut(invalid);
    if (invalid.length > 0)
      log.info({ sessions: invalid.length }, 'sessions that are no longer allowed have ended');
  }

  async function endDueStreams(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const keys = await store.due(batchSize);
      // For this time no other process handles them. After a failure here they are due again.
      await store.end(keys, clock.now() + retryAfterMs);
      const results = await Promise.allSettled(
        keys.map(async (key) => {
          await endStreams(key, await store.isSignedOut(key));
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
      if (mustEndInvalid) {
        // Before the list is read: a change during the walk causes another one.
        mustEndInvalid = false;
        await endInvalid().catch((error) => {
          mustEndInvalid = true;
          throw error;
        });
      }
      await endDueStreams();
      isFailing = false;
    } catch (error) {
      // Redis or the requests service is away: the next sweep tries again.
      if (!isFailing) {
        log.warn(
          { reason: (error as Error).message },
          'could not find ended sessions or end their streams: retrying',
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
    endInvalidSoon() {
      mustEndInvalid = true;
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

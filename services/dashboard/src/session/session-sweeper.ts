import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { SessionKey, SessionStore, SignedIn } from './session-store.ts';

export interface SessionSweeper extends Part {
  /** Ends the streams of sessions that have just ended, without waiting for the next sweep. */
  sweepSoon(): void;
}

const sweepInterval = 1_000;
/** After a failure, this or another process tries again after this time. */
const retryAfter = 3_000;
/** Repeated, since processes with an older list may still sign people in during a rolling restart. */
const checkInterval = 30_000;
/** Erased users are looked for in this interval, since their streams must end within 5 s. */
const userCheckInterval = 2_000;
/** The limit of `findMissingUsers`. */
const usersAtOnce = 1_000;
const batchSize = 20;

/**
 * Ends the streams of every session that has ended: by a sign-out, by its time limit, because its user is no longer
 * allowed, or because its user was erased. The last two are checked for all sessions, since a page that only listens
 * makes no calls. Several processes may do this at the same time.
 */
export function createSessionSweeper(options: {
  store: SessionStore;
  endStreams: (key: SessionKey) => Promise<void>;
  /** Which of these users, at most 1,000, do not exist any more. */
  findMissingUsers: (userIds: readonly string[]) => Promise<string[]>;
  /** Whether the user of a session is still allowed. */
  isValid: (user: SignedIn) => boolean;
  isConnected: () => boolean;
  clock: Clock;
  log: Log;
}): SessionSweeper {
  const { store, endStreams, findMissingUsers, isValid, isConnected, clock, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let checkAt = 0;
  let userCheckAt = 0;
  let isFailing = false;

  async function endInvalid(): Promise<void> {
    const invalid: SessionKey[] = [];
    for await (const { key, user } of store.walk()) if (!user || !isValid(user)) invalid.push(key);
    await store.end(invalid);
    if (invalid.length > 0)
      log.info({ sessions: invalid.length }, 'sessions that are no longer allowed have ended');
  }

  async function endSessionsOfMissingUsers(): Promise<void> {
    const sessions = new Map<string, SessionKey[]>();
    for await (const keys of store.keys()) {
      for (const key of keys) sessions.set(key.userId, [...(sessions.get(key.userId) ?? []), key]);
    }
    const userIds = [...sessions.keys()];
    for (let from = 0; from < userIds.length; from += usersAtOnce) {
      const missing = await findMissingUsers(userIds.slice(from, from + usersAtOnce));
      if (missing.length === 0) continue;
      await store.end(missing.flatMap((userId) => sessions.get(userId) ?? []));
      // Their streams are due now.
      again = true;
      log.info({ users: missing.length }, 'sessions of users who were erased have ended');
    }
  }

  async function endDueStreams(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const keys = await store.due(batchSize);
      // Put off for the other processes, and for the next try should this one fail.
      await store.end(keys, clock.now() + retryAfter);
      const results = await Promise.allSettled(
        keys.map(async (key) => {
          await endStreams(key);
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
      if (clock.now() >= checkAt) {
        await endInvalid();
        checkAt = clock.now() + checkInterval;
      }
      await endDueStreams();
      // Last, so that the streams above end too while a requests service of the release before does not answer this.
      if (clock.now() >= userCheckAt) {
        await endSessionsOfMissingUsers();
        userCheckAt = clock.now() + userCheckInterval;
      }
      isFailing = false;
    } catch (error) {
      // Redis or the requests service is away: the next sweep tries again.
      if (!isFailing) {
        log.warn(
          { reason: (error as Error).message },
          'sessions that ended could not be found or their streams not be ended: trying again',
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
    async start() {
      timer = setInterval(sweepSoon, sweepInterval);
      sweepSoon();
    },
    async stop() {
      clearInterval(timer);
      again = false;
      await running;
    },
  };
}

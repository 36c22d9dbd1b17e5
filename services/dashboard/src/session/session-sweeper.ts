import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { EndedUsers } from '../users.ts';
import type { SessionKey, SessionStore, SignedIn } from './session-store.ts';

export interface SessionSweeper extends Part {
  /** Ends the streams of sessions that have just ended, without waiting for the next sweep. */
  sweepSoon(): void;
}

const sweepIntervalMs = 1_000;
/** After a failure, this or another process retries after this time. */
const retryAfterMs = 3_000;
/** How often all sessions are checked. During a rolling restart, a process with an older list may still sign people in. */
const checkIntervalMs = 30_000;
/** How often users are looked for who were erased or signed out by the operator. Their streams must end within 5 s. */
const userCheckIntervalMs = 2_000;
/** The clock of a dashboard that began a session may be ahead of the database's by this time. */
const clockToleranceMs = 30_000;
/** The limit of `findEndedUsers`. */
const maxUsersPerCall = 1_000;
const batchSize = 20;

/**
 * Ends the streams of every session that has ended: by a sign-out, by its time limit, because its user is no longer
 * allowed, or because its user was erased or signed out by the operator. For the last two it checks all sessions, since a page that only reads its
 * stream makes no calls. Several processes may do this at the same time.
 */
export function createSessionSweeper(options: {
  store: SessionStore;
  endStreams: (key: SessionKey, isSignedOut: boolean) => Promise<void>;
  /** Returns those of these users, at most 1,000, whose sessions must end. */
  findEndedUsers: (userIds: readonly string[]) => Promise<EndedUsers>;
  /** Whether the user of a session is still allowed. */
  isValid: (user: SignedIn) => boolean;
  isConnected: () => boolean;
  clock: Clock;
  log: Log;
}): SessionSweeper {
  const { store, endStreams, findEndedUsers, isValid, isConnected, clock, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let checkAt = 0;
  let userCheckAt = 0;
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

  async function endSessionsOfEndedUsers(): Promise<void> {
    const sessions = new Map<string, SessionKey[]>();
    for await (const keys of store.keys()) {
      for (const key of keys) sessions.set(key.userId, [...(sessions.get(key.userId) ?? []), key]);
    }
    const userIds = [...sessions.keys()];
    for (let from = 0; from < userIds.length; from += maxUsersPerCall) {
      const { missing, ended } = await findEndedUsers(userIds.slice(from, from + maxUsersPerCall));
      const keys = missing.flatMap((userId) => sessions.get(userId) ?? []);
      for (const { userId, at } of ended) {
        const begunBefore = (await store.list(userId)).filter(
          ({ user }) => user.createdAt < at + clockToleranceMs,
        );
        keys.push(...begunBefore.map(({ key }) => key));
      }
      if (keys.length === 0) continue;
      await store.signOut(keys);
      // Their streams are due now.
      again = true;
      log.info(
        { sessions: keys.length },
        'sessions that an operator has ended, or whose user was erased, have ended',
      );
    }
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
      if (clock.now() >= checkAt) {
        await endInvalid();
        checkAt = clock.now() + checkIntervalMs;
      }
      await endDueStreams();
      if (clock.now() >= userCheckAt) {
        await endSessionsOfEndedUsers();
        userCheckAt = clock.now() + userCheckIntervalMs;
      }
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

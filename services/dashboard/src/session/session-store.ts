import type { Clock } from '@expert-relay/kit/clock';
import type { SessionPrincipal } from '@expert-relay/kit/principal';
import type { RedisConnection } from '@expert-relay/kit/redis';
import { type SessionData, Store } from 'express-session';
import type { Identity } from '../sign-in/identity.ts';
import { pendingSignInMs, type UseOnce } from '../sign-in/oauth-flow.ts';

/** The user of a session, as it is stored. */
export interface SignedIn {
  readonly userId: string;
  /** The id of the session in other services. Only the browser and Redis know the id in the cookie. */
  readonly sessionId: string;
  /** The identity that signed in. Each call checks whether it is still allowed. */
  readonly identity: Identity;
  /** Of an OpenID provider, for the sign-out there. */
  readonly idToken?: string;
  /** Such as `Firefox on Linux`. */
  readonly device: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

declare global {
  namespace Express {
    interface User extends SignedIn {}
  }
}

declare module 'express-session' {
  interface SessionData {
    /** Written by passport. */
    passport?: { user?: SignedIn };
  }
}

/** The ids of a session: of its user, its public id, and the secret id in its cookie. */
export interface SessionKey {
  readonly userId: string;
  readonly sessionId: string;
  readonly cookieId: string;
}

export interface StoredSession {
  readonly key: SessionKey;
  readonly user: SignedIn;
}

type Callback<T = void> = (error?: unknown, value?: T) => void;

/** Renews a session only if it still exists: one that has ended during the call must stay ended. */
const renew = `
  if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 1 then
    redis.call('ZADD', KEYS[2], ARGV[2], ARGV[4])
    redis.call('ZADD', KEYS[3], ARGV[3], ARGV[4])
  end`;

const pageSize = 500;

/**
 * The sessions in Redis. Each session has a record, which Redis deletes when it expires, and is in two sorted sets: all
 * sessions by the time of their end, so that their streams can be ended too, and the sessions of a user by their last
 * use. It is removed from both when requests has recorded its end, which ends the streams (`forget`). A set has the sessions that were
 * signed out, until then: only their browsers lose push.
 */
export class SessionStore extends Store {
  readonly #redis: RedisConnection;
  readonly #prefix: string;
  readonly #idleTimeout: number;
  readonly #lifetime: number;
  readonly #clock: Clock;

  constructor(options: {
    redis: RedisConnection;
    prefix: string;
    idleTimeout: number;
    lifetime: number;
    clock: Clock;
  }) {
    super();
    this.#redis = options.redis;
    this.#prefix = options.prefix;
    this.#idleTimeout = options.idleTimeout;
    this.#lifetime = options.lifetime;
    this.#clock = options.clock;
  }

  override get(cookieId: string, done: Callback<SessionData | null>): void {
    settle(this.read(cookieId), done);
  }

  override set(cookieId: string, session: SessionData, done: Callback = () => {}): void {
    settle(this.#write(cookieId, session), done);
  }

  override touch(cookieId: string, session: SessionData, done: Callback = () => {}): void {
    settle(this.#renew(cookieId, session), done);
  }

  /** Called by `regenerate` of express-session, when `Sessions.begin` replaces a session, or `signOutOwn` has ended it already. */
  override destroy(cookieId: string, done: Callback = () => {}): void {
    settle(this.#destroy(cookieId), done);
  }

  async read(cookieId: string): Promise<SessionData | null> {
    return this.#parse(await this.#client.get(this.#record(cookieId)));
  }

  /** The sessions of a user, the last used first. */
  async list(userId: string): Promise<(StoredSession & { lastUsedAt: number })[]> {
    const names = await this.#client.zrevrange(this.#ofUser(userId), 0, -1, 'WITHSCORES');
    const times = new Map<string, number>();
    for (let at = 0; at < names.length; at += 2) times.set(names[at] ?? '', Number(names[at + 1]));
    const sessions = await this.#readAll([...times.keys()]);
    return sessions.map((session) => ({ ...session, lastUsedAt: times.get(nameOf(session.key)) ?? 0 }));
  }

  /** Every session, read in pages of about 500. It has no user when its record is gone. */
  async *walk(): AsyncGenerator<{ key: SessionKey; user: SignedIn | undefined }> {
    let cursor = '0';
    do {
      const [next, found] = await this.#client.zscan(this.#ends, cursor, 'COUNT', pageSize);
      const names = found.filter((_, at) => at % 2 === 0);
      const stored = await this.#readAll(names);
      const users = new Map(stored.map(({ key, user }) => [nameOf(key), user]));
      for (const name of names) yield { key: keyOf(name), user: users.get(name) };
      cursor = next;
    } while (cursor !== '0');
  }

  /** Ends sessions: deletes their records now. `due` returns them until their end is recorded. */
  async end(keys: readonly SessionKey[]): Promise<void> {
    await this.#deleteRecords(keys, { dueAt: this.#clock.now() });
  }

  /** Takes sessions that are due: until this time `due` returns them to no other process. After a failure they are due again. */
  async claimDue(keys: readonly SessionKey[], until: number): Promise<void> {
    await this.#deleteRecords(keys, { dueAt: until });
  }

  /** Ends sessions before their time: their browsers are not notified any more either. */
  async signOut(keys: readonly SessionKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#client.sadd(this.#signedOut, ...keys.map(nameOf));
    await this.end(keys);
  }

  async isSignedOut(key: SessionKey): Promise<boolean> {
    return (await this.#client.sismember(this.#signedOut, nameOf(key))) === 1;
  }

  /** The session as the other services know it. */
  principalOf(user: SignedIn): SessionPrincipal {
    const { userId, sessionId, createdAt: begunAt } = user;
    const endsAt = this.#clock.now() + this.#timeLeft(user);
    return { kind: 'session', userId, sessionId, begunAt, endsAt };
  }

  /** Sessions that have ended, and whose end may not be recorded yet. */
  async due(maxCount: number): Promise<SessionKey[]> {
    const names = await this.#client.zrangebyscore(this.#ends, 0, this.#clock.now(), 'LIMIT', 0, maxCount);
    return names.map(keyOf);
  }

  /** Whether this is the first use of the state of a sign-in. Its cookie is not accepted after ten minutes. */
  readonly useOnce: UseOnce = async (state) => {
    const name = `${this.#prefix}:session-states-used:${state}`;
    return (await this.#client.set(name, '', 'PX', pendingSignInMs, 'NX')) === 'OK';
  };

  async forget(key: SessionKey): Promise<void> {
    await this.#client
      .multi()
      .zrem(this.#ends, nameOf(key))
      .zrem(this.#ofUser(key.userId), nameOf(key))
      .srem(this.#signedOut, nameOf(key))
      .exec();
  }

  async #write(cookieId: string, session: SessionData): Promise<void> {
    const user = session.passport?.user;
    // A session contains only the user who has signed in.
    if (!user) return;
    await this.#client.set(this.#record(cookieId), JSON.stringify(session), 'PX', this.#timeLeft(user));
    await this.#renew(cookieId, session);
  }

  async #renew(cookieId: string, session: SessionData): Promise<void> {
    const user = session.passport?.user;
    if (!user) return;
    const { userId, sessionId } = user;
    const now = this.#clock.now();
    const timeLeft = this.#timeLeft(user);
    const keys = [this.#record(cookieId), this.#ends, this.#ofUser(userId)];
    const name = nameOf({ userId, sessionId, cookieId });
    await this.#client.eval(renew, keys.length, ...keys, timeLeft, now + timeLeft, now, name);
  }

  async #destroy(cookieId: string): Promise<void> {
    const user = (await this.read(cookieId))?.passport?.user;
    if (user) await this.end([{ userId: user.userId, sessionId: user.sessionId, cookieId }]);
  }

  /** Redis may still have the record of a session whose time has come. */
  async #deleteRecords(keys: readonly SessionKey[], { dueAt }: { dueAt: number }): Promise<void> {
    if (keys.length === 0) return;
    const steps = this.#client.multi().del(...keys.map(({ cookieId }) => this.#record(cookieId)));
    for (const key of keys) steps.zadd(this.#ends, dueAt, nameOf(key));
    await steps.exec();
  }

  async #readAll(names: readonly string[]): Promise<StoredSession[]> {
    if (names.length === 0) return [];
    const keys = names.map(keyOf);
    const texts = await this.#client.mget(keys.map(({ cookieId }) => this.#record(cookieId)));
    return keys.flatMap((key, at) => {
      const user = this.#parse(texts[at])?.passport?.user;
      return user ? [{ key, user }] : [];
    });
  }

  /** A record may be older than a lifetime that was shortened after it was written. Then the session is over. */
  #parse(text: string | null | undefined): SessionData | null {
    if (!text) return null;
    const session = JSON.parse(text) as SessionData;
    const { createdAt = Number.POSITIVE_INFINITY } = session.passport?.user ?? {};
    return createdAt + this.#lifetime > this.#clock.now() ? session : null;
  }

  #timeLeft({ createdAt }: SignedIn): number {
    return Math.max(1, Math.min(this.#idleTimeout, createdAt + this.#lifetime - this.#clock.now()));
  }

  get #client() {
    return this.#redis.client;
  }

  get #ends(): string {
    return `${this.#prefix}:session-ends`;
  }

  get #signedOut(): string {
    return `${this.#prefix}:sessions-signed-out`;
  }

  #record = (cookieId: string): string => `${this.#prefix}:session:${cookieId}`;
  #ofUser = (userId: string): string => `${this.#prefix}:sessions-of:${userId}`;
}

const nameOf = ({ userId, sessionId, cookieId }: SessionKey): string => `${userId}/${sessionId}/${cookieId}`;

function keyOf(name: string): SessionKey {
  const [userId = '', sessionId = '', cookieId = ''] = name.split('/');
  return { userId, sessionId, cookieId };
}

function settle<T>(result: Promise<T>, done: Callback<T>): void {
  result.then(
    (value) => done(null, value),
    (error) => done(error),
  );
}

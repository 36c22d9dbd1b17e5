import { randomUUID } from 'node:crypto';
import type { Clock } from '@expert-relay/kit/clock';
import type { SessionPrincipal } from '@expert-relay/kit/principal';
import type { Request } from 'express';
import type { Identity } from '../sign-in/identity.ts';
import type { SessionRules, Users } from '../users.ts';
import type { SessionKey, SessionStore, SignedIn, StoredSession } from './session-store.ts';
import type { SessionSweeper } from './session-sweeper.ts';

/** Per user. When another one begins, the session that was not used for the longest time ends. */
const maxSessions = 50;

/** The sessions, as routes use them. */
export interface Sessions {
  /** Begins a new session for a user. A session from before the sign-in is never used again. */
  begin(
    request: Request,
    user: { userId: string; identity: Identity; idToken: string | undefined },
  ): Promise<void>;
  /** Reads the user of this call from the store again. Removes `request.user` if the session has ended. */
  readAgain(request: Request, callId: string): Promise<SignedIn | undefined>;
  /**
   * Whether the session's user still exists and has the identity with which it began, and the operator has not ended it: the requests
   * service knows.
   */
  isOpen(user: SignedIn, callId: string): Promise<boolean>;
  /** Signs the session of this call out, if there is one. */
  signOutOwn(request: Request): Promise<void>;
  /** The session as the other services know it. */
  principalOf(user: SignedIn): SessionPrincipal;
  /** The open sessions of the caller's user, the last used first. Ends those that are not open any more. */
  list(caller: SessionPrincipal, callId: string): Promise<(StoredSession & { lastUsedAt: number })[]>;
  /** Ends sessions now, and their streams within seconds. Their browsers are not notified any more. */
  signOut(keys: readonly SessionKey[]): Promise<void>;
}

export function createSessions(options: {
  store: SessionStore;
  sweeper: SessionSweeper;
  users: Pick<Users, 'findSessionRules'>;
  clock: Clock;
}): Sessions {
  const { store, sweeper, users, clock } = options;
  const isOpen: Sessions['isOpen'] = async (user, callId) =>
    isOpenBy(await users.findSessionRules(store.principalOf(user), callId), user);

  async function signOut(keys: readonly SessionKey[]): Promise<void> {
    if (keys.length === 0) return;
    await store.signOut(keys);
    sweeper.sweepSoon();
  }

  return {
    async begin(request, { userId, identity, idToken }) {
      const signedIn = {
        ...(idToken !== undefined && { idToken }),
        userId,
        sessionId: randomUUID(),
        identity,
        device: describeDevice(request.get('user-agent')),
        createdAt: clock.now(),
      };
      await new Promise<void>((resolve, reject) => {
        // This ends the session that the browser came with: passport calls `regenerate` of express-session, which calls
        // `SessionStore.destroy`. It is no sign-out: the page that opens next registers its push channel for the new session.
        request.login(signedIn, (error) => (error ? reject(error) : resolve()));
      });
      const tooMany = (await store.list(userId)).slice(maxSessions);
      await signOut(tooMany.map(({ key }) => key));
    },
    async readAgain(request, callId) {
      const session = request.user && (await store.read(cookieIdOf(request)));
      const user = session?.passport?.user;
      if (user && (await isOpen(user, callId))) return user;
      delete request.user;
      return undefined;
    },
    isOpen,
    async signOutOwn(request) {
      const { user } = request;
      if (user) {
        const { userId, sessionId } = user;
        await store.signOut([{ userId, sessionId, cookieId: cookieIdOf(request) }]);
      }
      await new Promise<void>((resolve, reject) => {
        request.session.regenerate((error) => (error ? reject(error) : resolve()));
      });
      delete request.user;
      sweeper.sweepSoon();
    },
    principalOf: (user) => store.principalOf(user),
    async list(caller, callId) {
      // In this order: a session that begins meanwhile may have an identity that is newer than the rules.
      const found = await store.list(caller.userId);
      const rules = await users.findSessionRules(caller, callId);
      const open = found.filter(({ user }) => isOpenBy(rules, user));
      await signOut(found.filter((session) => !open.includes(session)).map(({ key }) => key));
      return open;
    },
    signOut,
  };
}

/** The secret id in the cookie, as express-session calls it. It is not the `sessionId` of the user. */
const cookieIdOf = ({ sessionID }: Request): string => sessionID;

const isOpenBy = (rules: SessionRules | null, { createdAt, identity }: SignedIn): boolean =>
  rules !== null &&
  createdAt >= rules.sessionsFrom &&
  // A link is used once, and is no identity of the user.
  (identity.provider === 'link' ||
    rules.identities.some(
      ({ provider, subject }) => provider === identity.provider && subject === identity.subject,
    ));

// The first match is used, since most browsers name other browsers too.
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** The name of a browser for its owner, such as `Firefox on Linux`, from its `User-Agent`. */
function describeDevice(userAgent = ''): string {
  const browser = nameIn(browsers, userAgent);
  const system = nameIn(systems, userAgent);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown device';
}

const nameIn = (names: readonly [RegExp, string][], userAgent: string): string | undefined =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1];

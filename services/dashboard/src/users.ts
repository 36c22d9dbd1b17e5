import { randomUUID } from 'node:crypto';
import type { SessionPrincipal } from '@expert-relay/kit/principal';
import { readJson, type ServiceCall, type ServiceClient } from '@expert-relay/kit/service-client';
import type { SessionKey } from './session/session-store.ts';
import type { Identity } from './sign-in/identity.ts';

/** `taken`: it belongs to another user. `exists`: the user has another identity of this provider. */
type JoinResult = 'joined' | 'taken' | 'exists';

export interface UsedLink {
  readonly linkId: string;
  readonly userId: string;
  readonly name: string;
}

export interface LinkUser {
  readonly name: string;
  readonly email: string | null;
}

export interface SessionRules {
  /** The operator has ended the sessions that began before this time, in milliseconds since 1970. */
  readonly sessionsFrom: number;
  readonly identities: readonly Pick<Identity, 'provider' | 'subject'>[];
}

/** The calls about users, which the requests service stores. */
export interface Users {
  /** Finds the user of an identity. The first sign-in creates it. */
  findOrCreate(identity: Identity, callId: string): Promise<{ userId: string }>;
  /** Joins an identity to the user who is signed in. */
  joinIdentity(session: SessionPrincipal, identity: Identity, callId: string): Promise<JoinResult>;
  /** The user of a sign-in link, without using the link. Null if it cannot be used. */
  findLink(token: string, callId: string): Promise<LinkUser | null>;
  /** Uses a sign-in link, which works once. Null if it cannot be used. */
  useLink(token: string, callId: string): Promise<UsedLink | null>;
  /** What decides whether the sessions of a user are open. Null if the user does not exist. */
  findSessionRules(session: SessionPrincipal, callId: string): Promise<SessionRules | null>;
  /** Reports that a session has ended, so that the hub ends its streams; after a sign-out its browser is not notified any more. */
  reportSessionEnd(key: SessionKey, isSignedOut: boolean): Promise<void>;
}

export function createUsers(requests: ServiceClient): Users {
  const post = async <T>(call: Pick<ServiceCall, 'path' | 'principal' | 'callId' | 'json'>): Promise<T> =>
    readJson(await requests.call({ method: 'POST', ...call }));

  return {
    findOrCreate: (identity, callId) =>
      post({
        path: '/internal/users/sign-in',
        principal: { kind: 'signin' },
        callId,
        json: storedMembers(identity),
      }),
    async joinIdentity(principal, identity, callId) {
      const { result } = await post<{ result: JoinResult }>({
        path: '/internal/identities',
        principal,
        callId,
        json: storedMembers(identity),
      });
      return result;
    },
    async findLink(token, callId) {
      const { user } = await post<{ user: LinkUser | null }>({
        path: '/internal/sign-in-links/find',
        principal: { kind: 'signin' },
        callId,
        json: { token },
      });
      return user;
    },
    async useLink(token, callId) {
      const { link } = await post<{ link: UsedLink | null }>({
        path: '/internal/sign-in-links/use',
        principal: { kind: 'signin' },
        callId,
        json: { token },
      });
      return link;
    },
    async findSessionRules(principal, callId) {
      const path = '/internal/sessions/check';
      const { user } = await readJson<{ user: SessionRules | null }>(
        await requests.call({ method: 'GET', path, principal, callId }),
      );
      return user;
    },
    reportSessionEnd: ({ userId, sessionId }, isSignedOut) =>
      post({
        path: '/internal/sessions/end',
        // It has ended, and its record with its times is deleted.
        principal: { kind: 'session', userId, sessionId, begunAt: 0, endsAt: 0 },
        callId: randomUUID(),
        json: { signedOut: isSignedOut },
      }),
  };
}

/** The members of an identity that are stored. */
const storedMembers = ({ provider, subject, name, label, email }: Identity) => ({
  provider,
  subject,
  name,
  label,
  ...(email && { email }),
});

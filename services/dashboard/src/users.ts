import { randomUUID } from 'node:crypto';
import { readAnswer, type ServiceCall, type ServiceClient } from '@expert-relay/kit/service-client';
import type { SessionKey } from './session/session-store.ts';
import type { Identity } from './sign-in/identity.ts';

/** `taken`: it belongs to another user. `exists`: the user has another account of this provider. */
type AddResult = 'joined' | 'taken' | 'exists';

export interface UsedLink {
  readonly linkId: string;
  readonly userId: string;
  readonly name: string;
}

export interface LinkUser {
  readonly name: string;
  readonly email: string | null;
}

/** Users whose sessions must end. */
export interface EndedUsers {
  /** They were erased. */
  readonly missing: readonly string[];
  /** The operator has ended their sessions at this time, in milliseconds since 1970. */
  readonly ended: readonly { readonly userId: string; readonly at: number }[];
}

/** The calls about users, which the requests service stores. */
export interface Users {
  /** Finds the user of an identity. The first sign-in creates it. */
  findOrCreate(identity: Identity, callId: string): Promise<{ userId: string }>;
  /** Adds an identity to the user who is signed in. */
  addIdentity(user: Express.User, identity: Identity, callId: string): Promise<AddResult>;
  /** The user of a sign-in link, without using the link. Null if it cannot be used. */
  findLink(token: string, callId: string): Promise<LinkUser | null>;
  /** Uses a sign-in link, which works once. Null if it cannot be used. */
  useLink(token: string, callId: string): Promise<UsedLink | null>;
  /** Returns those of these users, at most 1,000, whose sessions must end. */
  findEnded(userIds: readonly string[]): Promise<EndedUsers>;
  /** Reports that a session has ended, so that the hub ends its streams, and the notifier its notifications. */
  endStreams(key: SessionKey, isSignedOut: boolean): Promise<void>;
}

export function createUsers(requests: ServiceClient): Users {
  const post = async <T>(call: Pick<ServiceCall, 'path' | 'principal' | 'callId' | 'json'>): Promise<T> =>
    readAnswer(await requests.call({ method: 'POST', ...call }));

  return {
    findOrCreate: (identity, callId) =>
      post({
        path: '/internal/users/sign-in',
        principal: { kind: 'signin' },
        callId,
        json: accountOf(identity),
      }),
    async addIdentity({ userId, sessionId }, identity, callId) {
      const { result } = await post<{ result: AddResult }>({
        path: '/internal/identities',
        principal: { kind: 'session', userId, sessionId },
        callId,
        json: accountOf(identity),
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
    findEnded: (userIds) =>
      post({
        path: '/internal/users/missing',
        principal: { kind: 'signin' },
        callId: randomUUID(),
        json: { userIds },
      }),
    endStreams: ({ userId, sessionId }, isSignedOut) =>
      post({
        path: '/internal/sessions/end',
        principal: { kind: 'session', userId, sessionId },
        callId: randomUUID(),
        json: { signedOut: isSignedOut },
      }),
  };
}

/** The members of an identity that are stored. */
const accountOf = ({ provider, subject, name, label, email }: Identity) => ({
  provider,
  subject,
  name,
  label,
  ...(email && { email }),
});

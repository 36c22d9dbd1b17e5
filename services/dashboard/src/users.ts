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

/** The calls about users, which the requests service stores. */
export interface Users {
  /** Finds the user of an identity. The first sign-in creates it. */
  findOrCreate(identity: Identity, callId: string): Promise<{ userId: string }>;
  /** Adds an identity to the user who is signed in. */
  addIdentity(user: Express.User, identity: Identity, callId: string): Promise<AddResult>;
  /** Uses a sign-in link, which works once. Null if it cannot be used. */
  useLink(token: string, callId: string): Promise<UsedLink | null>;
  /** Returns those of these users, at most 1,000, that no longer exist. */
  findMissing(userIds: readonly string[]): Promise<string[]>;
  /** Reports that a session has ended, so that the hub ends its streams. */
  endStreams(key: SessionKey): Promise<void>;
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
    async useLink(token, callId) {
      const { link } = await post<{ link: UsedLink | null }>({
        path: '/internal/sign-in-links/use',
        principal: { kind: 'signin' },
        callId,
        json: { token },
      });
      return link;
    },
    async findMissing(userIds) {
      const { missing } = await post<{ missing: string[] }>({
        path: '/internal/users/missing',
        principal: { kind: 'signin' },
        callId: randomUUID(),
        json: { userIds },
      });
      return missing;
    },
    endStreams: ({ userId, sessionId }) =>
      post({
        path: '/internal/sessions/end',
        principal: { kind: 'session', userId, sessionId },
        callId: randomUUID(),
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

import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import { accountOf } from '../session/find-user.ts';
import type { Identity } from './identity.ts';

/** `taken`: it belongs to another user. `exists`: the user has another account of this provider. */
type JoinResult = 'joined' | 'taken' | 'exists';

export type JoinIdentity = (user: Express.User, identity: Identity, callId: string) => Promise<JoinResult>;

/** Adds an identity to the user who is signed in. */
export const createJoinIdentity =
  (requests: ServiceClient): JoinIdentity =>
  async ({ userId, sessionId }, identity, callId) => {
    const answer = await requests.call({
      method: 'POST',
      path: '/internal/identities',
      principal: { kind: 'session', userId, sessionId },
      callId,
      json: accountOf(identity),
    });
    return (await readAnswer<{ result: JoinResult }>(answer)).result;
  };

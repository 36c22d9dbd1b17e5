import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';

/** Somebody for whom an identity provider has vouched. */
export interface Identity {
  provider: string;
  subject: string;
  name: string;
  email?: string;
}

export type FindUser = (identity: Identity, callId: string) => Promise<{ userId: string }>;

/** The user behind an identity; made at the first sign-in. */
export const createFindUser =
  (requests: ServiceClient): FindUser =>
  async (identity, callId) =>
    readAnswer(
      await requests.call({
        method: 'POST',
        path: '/internal/users/sign-in',
        principal: { kind: 'signin' },
        callId,
        body: Buffer.from(JSON.stringify(identity)),
      }),
    );

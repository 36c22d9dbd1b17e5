import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import type { Identity } from '../sign-in/identity.ts';

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
        json: accountOf(identity),
      }),
    );

/** What is kept of an identity. */
export const accountOf = ({ provider, subject, name, label, email }: Identity) => ({
  provider,
  subject,
  name,
  label,
  ...(email && { email }),
});

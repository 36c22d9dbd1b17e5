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
        body: Buffer.from(JSON.stringify(accountOf(identity))),
      }),
    );

const longestText = 320;

/** What is kept of an identity: the requests service refuses longer texts, and a provider may send any. */
export const accountOf = ({ provider, subject, name, label, email }: Identity) => ({
  provider,
  subject,
  name: name.slice(0, longestText),
  label: label.slice(0, longestText),
  ...(email && email.length <= longestText && { email }),
});

import { randomUUID } from 'node:crypto';
import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';

/** Which of these users, at most 1,000, do not exist any more. */
export type FindMissingUsers = (userIds: readonly string[]) => Promise<string[]>;

export const createFindMissingUsers =
  (requests: ServiceClient): FindMissingUsers =>
  async (userIds) => {
    const { missing } = await readAnswer<{ missing: string[] }>(
      await requests.call({
        method: 'POST',
        path: '/internal/users/missing',
        principal: { kind: 'signin' },
        callId: randomUUID(),
        json: { userIds },
      }),
    );
    return missing;
  };

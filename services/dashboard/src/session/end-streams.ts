import { randomUUID } from 'node:crypto';
import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import type { SessionKey } from './session-store.ts';

export type EndStreams = (key: Pick<SessionKey, 'userId' | 'sessionId'>) => Promise<void>;

/** Reports that a session has ended, so that the hub ends its streams. */
export const createEndStreams =
  (requests: ServiceClient): EndStreams =>
  async ({ userId, sessionId }) =>
    readAnswer(
      await requests.call({
        method: 'POST',
        path: '/internal/sessions/end',
        principal: { kind: 'session', userId, sessionId },
        callId: randomUUID(),
      }),
    );

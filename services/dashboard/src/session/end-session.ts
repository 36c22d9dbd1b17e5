import { readAnswer, type ServiceClient } from '@expert-relay/kit/service-client';
import type { SignedIn } from './create-session.ts';

export type EndSession = (user: SignedIn, callId: string) => Promise<void>;

/** Tells everybody that a session has ended, so that its streams end too. */
export const createEndSession =
  (requests: ServiceClient): EndSession =>
  async ({ userId, sessionId }, callId) =>
    readAnswer(
      await requests.call({
        method: 'POST',
        path: '/internal/sessions/end',
        principal: { kind: 'session', userId, sessionId },
        callId,
      }),
    );

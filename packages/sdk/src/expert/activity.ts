import { readParty } from '../request-state.ts';
import type { Hub } from '../transport/hub.ts';
import { isRequestId } from '../transport/requests.ts';
import { type Members, textOf } from '../transport/shape.ts';
import type { ExpertEvent, SessionExpertOptions } from './expert.ts';

/** A placeholder for the topic of all events of this expert. The real name contains the user's id. */
const topic = 'activity';
const types = ['new_request', 'new_message', 'key_exchange', 'request_closed'] as const;

export interface Activity {
  readonly onEvent: (event: Members) => void;
  readonly listen: (listener: (event: ExpertEvent) => void) => () => void;
}

/** All events of an expert's requests come on one topic. Each names its request. */
export function createActivity(hub: () => Hub, given: SessionExpertOptions['listen']): Activity {
  const listeners = new Set<(event: ExpertEvent) => void>();
  return {
    onEvent({ type, requestId, refCode, role, messageId, reason }) {
      const known = types.find((one) => one === type);
      if (!known || !isRequestId(requestId)) return;
      const event: ExpertEvent = {
        type: known,
        requestId,
        refCode: textOf(refCode),
        from: readParty(role),
        messageId: textOf(messageId),
        reason: reason === 'expired' ? reason : 'closed',
      };
      for (const listener of [...listeners]) listener(event);
    },
    listen:
      given ??
      ((listener) => {
        listeners.add(listener);
        const unfollow = hub().follow(topic, (isMissed) => listener({ type: 'unknown', isMissed }));
        return () => {
          unfollow();
          listeners.delete(listener);
        };
      }),
  };
}

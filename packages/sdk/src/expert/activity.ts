import type { Hub } from '../transport/hub.ts';
import { isRequestId } from '../transport/request-shape.ts';
import type { Members } from '../transport/shape.ts';
import type { ExpertEvent } from './expert.ts';

/** Stands for the topic of all events of this expert: its name is known once it is known whose key it is. */
const topic = 'activity';
const types = ['new_request', 'new_message', 'key_exchange', 'request_closed'] as const;

/** Everything that happens to an expert's requests comes on one topic, and says which request it is about. */
export class Activity {
  readonly #hub: () => Hub;
  readonly #listeners = new Set<(event: ExpertEvent) => void>();

  constructor(hub: () => Hub) {
    this.#hub = hub;
  }

  readonly onEvent = ({ type, requestId, role, messageId, reason }: Members): void => {
    const known = types.find((one) => one === type);
    if (!known || !isRequestId(requestId)) return;
    const event: ExpertEvent = {
      type: known,
      requestId,
      role: role === 'consumer' || role === 'provider' ? role : undefined,
      messageId: typeof messageId === 'string' ? messageId : undefined,
      reason: reason === 'expired' ? reason : 'closed',
    };
    for (const call of [...this.#listeners]) call(event);
  };

  listen(call: (event: ExpertEvent) => void): () => void {
    this.#listeners.add(call);
    const unfollow = this.#hub().follow(topic, (isMissed) => call({ type: 'unknown', isMissed }));
    return () => {
      unfollow();
      this.#listeners.delete(call);
    };
  }
}

import { readParty } from '../request-state.ts';
import type { Hub } from '../transport/hub.ts';
import { isRequestId } from '../transport/requests.ts';
import { type Members, textOf } from '../transport/shape.ts';
import type { ExpertEvent, SessionExpertOptions } from './expert.ts';

/** A placeholder for the topic of all events of this expert. The real name contains the user's id. */
const topic = 'activity';
const types = ['new_request', 'new_message', 'key_exchange', 'request_closed', 'request_triaged'] as const;

/** All events of an expert's requests come on one topic. Each names its request. */
export class Activity {
  readonly #hub: () => Hub;
  readonly #given: SessionExpertOptions['listen'];
  readonly #listeners = new Set<(event: ExpertEvent) => void>();

  /** `given` are events that something else receives. */
  constructor(hub: () => Hub, given: SessionExpertOptions['listen']) {
    this.#hub = hub;
    this.#given = given;
  }

  onEvent({ type, requestId, refCode, role, messageId, reason }: Members): void {
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
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Returns a function that stops it. */
  listen(listener: (event: ExpertEvent) => void): () => void {
    if (this.#given) return this.#given(listener);
    this.#listeners.add(listener);
    const unfollow = this.#hub().follow(topic, (isMissed) => listener({ type: 'unknown', isMissed }));
    return () => {
      unfollow();
      this.#listeners.delete(listener);
    };
  }
}

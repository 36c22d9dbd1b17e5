import type { Client } from '../client.ts';
import { Looker } from '../thread/looker.ts';
import { isRequestId } from '../transport/request-shape.ts';
import type { Members } from '../transport/shape.ts';
import type { Inbox } from './inbox.ts';

/**
 * Everything that happens to an expert's requests comes on one topic, and says which request it is about.
 */
export class Activity {
  readonly #client: () => Client;
  readonly #inboxes = new Set<Inbox>();
  readonly #lookers = new Map<string, Set<() => void>>();

  constructor(client: () => Client) {
    this.#client = client;
  }

  readonly onEvent = ({ type, requestId }: Members): void => {
    if (!isRequestId(requestId)) return;
    if (type === 'new_request') for (const inbox of this.#inboxes) inbox.add(requestId);
    for (const look of this.#lookers.get(requestId) ?? []) look();
  };

  listenToAll(inbox: Inbox): () => void {
    this.#inboxes.add(inbox);
    const unfollow = this.#follow(() => inbox.look());
    return () => {
      unfollow();
      this.#inboxes.delete(inbox);
    };
  }

  listenTo(requestId: string, look: () => void): () => void {
    const looks = this.#lookers.get(requestId) ?? new Set();
    this.#lookers.set(requestId, looks.add(look));
    const unfollow = this.#follow(look);
    return () => {
      unfollow();
      looks.delete(look);
      if (looks.size === 0) this.#lookers.delete(requestId);
    };
  }

  /** The topic is known once it is known whose key it is; until then nobody needs to be told that it is not. */
  #follow(onStale: () => void): () => void {
    const { api, hub, userId } = this.#client();
    let unfollow = () => {};
    const looker = new Looker({
      backoff: api.backoff,
      tell() {},
      async look(signal) {
        const topic = `/svc/providers/${await userId(signal)}/activity`;
        if (!signal.aborted) unfollow = hub.follow(topic, onStale);
      },
    });
    looker.look();
    return () => {
      looker.stop();
      unfollow();
    };
  }
}

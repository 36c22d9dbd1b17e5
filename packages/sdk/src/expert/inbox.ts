import type { RelayError } from '../relay-error.ts';
import type { Party } from '../request-state.ts';
import { createMailbox } from '../thread/mailbox.ts';
import { createRefresher, isOutage } from '../thread/refresher.ts';
import type { Api } from '../transport/api.ts';
import { listOpen } from '../transport/requests.ts';

/**
 * The ids of open requests: first those that exist already, oldest first, then new ones, and each again when its agent may have written
 * since.
 */
export interface Inbox {
  /** Aborts when this is stopped. */
  readonly stopped: AbortSignal;
  /** Adds one request. */
  add(requestId: string): void;
  /** Adds a request, also one that was added before, if its agent has written. */
  noteMessage(requestId: string, from: Party | undefined): void;
  /** Adds this request again once it can be read. Until then the others are processed. */
  retryLater(requestId: string): void;
  /** Lists all open requests and adds those that are new, or have new messages. */
  list(): void;
  take(signal: AbortSignal): Promise<string | undefined>;
  stop(error: RelayError): void;
}

export function createInbox(
  api: Api,
  tryToRead: (requestId: string, signal: AbortSignal) => Promise<unknown>,
): Inbox {
  const mailbox = createMailbox<string>();
  /** The messages of each request that was added, as last listed. */
  const counts = new Map<string, number>();
  /** Ids that were not taken yet. */
  const waiting = new Set<string>();
  /** Requests that could not be read, in the order of the next attempts. */
  const unreadable = new Set<string>();
  const stopped = new AbortController();
  const shared = { backoff: api.backoff, report: mailbox.interrupt };
  const refresher = createRefresher({
    ...shared,
    async run(signal) {
      for (const { requestId, messageCount, responseCount } of await listOpen(api, signal)) {
        const before = counts.get(requestId);
        counts.set(requestId, messageCount);
        if (before === undefined || (before < messageCount && responseCount < messageCount)) push(requestId);
      }
    },
  });
  const retryRefresher = createRefresher({
    ...shared,
    async run(signal) {
      for (const requestId of unreadable) {
        unreadable.delete(requestId);
        // At the end, in case it fails again.
        unreadable.add(requestId);
        await tryToRead(requestId, signal).catch((error: unknown) => {
          if (isOutage(error)) throw error;
        });
        unreadable.delete(requestId);
        push(requestId);
      }
    },
  });

  function push(requestId: string): void {
    if (waiting.has(requestId)) return;
    waiting.add(requestId);
    mailbox.push([requestId]);
  }

  return {
    stopped: stopped.signal,
    add(requestId) {
      if (counts.has(requestId)) return;
      counts.set(requestId, 0);
      push(requestId);
    },
    noteMessage(requestId, from) {
      // Not counted: a list may have it already. The message may also have moved the request to the front of a list whose first page
      // was read before, so that no later page has it.
      if (from === 'agent') push(requestId);
    },
    retryLater(requestId) {
      unreadable.add(requestId);
      retryRefresher.refresh();
    },
    list: refresher.refresh,
    async take(signal) {
      const requestId = await mailbox.take({ signal });
      if (requestId !== undefined) waiting.delete(requestId);
      return requestId;
    },
    stop(error) {
      refresher.stop();
      retryRefresher.stop();
      mailbox.end(error);
      stopped.abort();
    },
  };
}

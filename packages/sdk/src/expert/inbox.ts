import type { RelayError } from '../relay-error.ts';
import type { Party } from '../request-state.ts';
import { Mailbox } from '../thread/mailbox.ts';
import { isOutage, Refresher } from '../thread/refresher.ts';
import type { Api } from '../transport/api.ts';
import { listOpen } from '../transport/requests.ts';

/**
 * The ids of open requests: first those that exist already, oldest first, then new ones, and each again when its agent may have written
 * since.
 */
export function createInbox(
  api: Api,
  tryToRead: (requestId: string, signal: AbortSignal) => Promise<unknown>,
) {
  const mailbox = new Mailbox<string>();
  /** The messages of each request that was added, as last listed. */
  const counts = new Map<string, number>();
  /** Ids that were not taken yet. */
  const waiting = new Set<string>();
  /** Requests that could not be read, in the order of the next attempts. */
  const unreadable = new Set<string>();
  const stopped = new AbortController();
  const shared = { backoff: api.backoff, report: (error: RelayError) => mailbox.interrupt(error) };
  const refresher = new Refresher({
    ...shared,
    async run(signal) {
      for (const { requestId, messageCount, responseCount } of await listOpen(api, signal)) {
        const before = counts.get(requestId);
        counts.set(requestId, messageCount);
        if (before === undefined || (before < messageCount && responseCount < messageCount)) push(requestId);
      }
    },
  });
  const retryRefresher = new Refresher({
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
    /** Aborts when this is stopped. */
    get stopped(): AbortSignal {
      return stopped.signal;
    },
    /** Adds one request. */
    add(requestId: string): void {
      if (counts.has(requestId)) return;
      counts.set(requestId, 0);
      push(requestId);
    },
    /** Adds a request, also one that was added before, if its agent has written. */
    noteMessage(requestId: string, from: Party | undefined): void {
      // Not counted: a list may have it already. The message may also have moved the request to the front of a list whose first page
      // was read before, so that no later page has it.
      if (from === 'agent') push(requestId);
    },
    /** Adds this request again once it can be read. Until then the others are processed. */
    retryLater(requestId: string): void {
      unreadable.add(requestId);
      retryRefresher.refresh();
    },
    /** Lists all open requests and adds those that are new, or have new messages. */
    list: () => refresher.refresh(),
    async take(signal: AbortSignal): Promise<string | undefined> {
      const requestId = await mailbox.take({ signal });
      if (requestId !== undefined) waiting.delete(requestId);
      return requestId;
    },
    stop(error: RelayError): void {
      refresher.stop();
      retryRefresher.stop();
      mailbox.end(error);
      stopped.abort();
    },
  };
}

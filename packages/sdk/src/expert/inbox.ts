import type { RelayError } from '../relay-error.ts';
import { createMailbox } from '../thread/mailbox.ts';
import { createRefresher, isOutage } from '../thread/refresher.ts';
import type { Api } from '../transport/api.ts';
import { listOpen } from '../transport/requests.ts';

/** The ids of open requests, each once: first those that exist already, oldest first, then new ones. */
export interface Inbox {
  /** Aborts when this is stopped. */
  readonly stopped: AbortSignal;
  /** Adds one request. */
  add(requestId: string): void;
  /** Adds this request again once it can be read. Until then the others are processed. */
  retryLater(requestId: string): void;
  /** Lists all open requests and adds those that are new. */
  list(): void;
  take(signal: AbortSignal): Promise<string | undefined>;
  stop(error: RelayError): void;
}

export function createInbox(
  api: Api,
  tryToRead: (requestId: string, signal: AbortSignal) => Promise<unknown>,
): Inbox {
  const mailbox = createMailbox<string>();
  const seen = new Set<string>();
  /** Requests that could not be read, in the order of the next attempts. */
  const unreadable = new Set<string>();
  const stopped = new AbortController();
  const shared = { backoff: api.backoff, report: mailbox.interrupt };
  const refresher = createRefresher({
    ...shared,
    async run(signal) {
      for (const { requestId } of await listOpen(api, signal)) add(requestId);
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
        mailbox.push([requestId]);
      }
    },
  });

  function add(requestId: string): void {
    if (seen.has(requestId)) return;
    seen.add(requestId);
    mailbox.push([requestId]);
  }

  return {
    stopped: stopped.signal,
    add,
    retryLater(requestId) {
      unreadable.add(requestId);
      retryRefresher.refresh();
    },
    list: refresher.refresh,
    take: (signal) => mailbox.take({ signal }),
    stop(error) {
      refresher.stop();
      retryRefresher.stop();
      mailbox.end(error);
      stopped.abort();
    },
  };
}

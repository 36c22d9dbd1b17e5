import type { RelayError } from '../relay-error.ts';
import { createLooker, isOutage } from '../thread/looker.ts';
import { createMailbox } from '../thread/mailbox.ts';
import type { Api } from '../transport/api.ts';
import { listOpen } from '../transport/list-requests.ts';

/** The ids of open requests, each once: those that wait already, oldest first, then others as they come. */
export interface Inbox {
  /** Aborts when this is stopped. */
  readonly stopped: AbortSignal;
  /** One that is known to be there. */
  add(requestId: string): void;
  /** Gives it again once it can be read, and until then those behind it. */
  putOff(requestId: string): void;
  /** Looks for all that are open. */
  look(): void;
  take(signal: AbortSignal): Promise<string | undefined>;
  stop(error: RelayError): void;
}

export function createInbox(
  api: Api,
  tryToRead: (requestId: string, signal: AbortSignal) => Promise<unknown>,
): Inbox {
  const mailbox = createMailbox<string>();
  const seen = new Set<string>();
  /** Those that could not be read, in the order in which that is tried again. */
  const late = new Set<string>();
  const stopped = new AbortController();
  const shared = { backoff: api.backoff, tell: mailbox.interrupt };
  const looker = createLooker({
    ...shared,
    async look(signal) {
      for (const { requestId } of await listOpen(api, signal)) add(requestId);
    },
  });
  const lateLooker = createLooker({
    ...shared,
    async look(signal) {
      for (const requestId of late) {
        late.delete(requestId);
        // Behind the others, should it fail again.
        late.add(requestId);
        await tryToRead(requestId, signal).catch((error: unknown) => {
          if (isOutage(error)) throw error;
        });
        late.delete(requestId);
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
    putOff(requestId) {
      late.add(requestId);
      lateLooker.look();
    },
    look: looker.look,
    take: (signal) => mailbox.take({ signal }),
    stop(error) {
      looker.stop();
      lateLooker.stop();
      mailbox.end(error);
      stopped.abort();
    },
  };
}

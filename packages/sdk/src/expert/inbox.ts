import type { RelayError } from '../relay-error.ts';
import { isOutage, Looker } from '../thread/looker.ts';
import { Mailbox } from '../thread/mailbox.ts';
import type { Api } from '../transport/api.ts';
import { listOpen } from '../transport/list-requests.ts';

/** The ids of open requests, each once: those that wait already, oldest first, then others as they come. */
export class Inbox {
  readonly #api: Api;
  readonly #looker: Looker;
  readonly #lateLooker: Looker;
  readonly #mailbox = new Mailbox<string>();
  readonly #seen = new Set<string>();
  /** Those that could not be read, in the order in which that is tried again. */
  readonly #late = new Set<string>();
  readonly #stopped = new AbortController();

  constructor(api: Api, tryToRead: (requestId: string, signal: AbortSignal) => Promise<unknown>) {
    this.#api = api;
    const { backoff } = api;
    const tell = (error: RelayError) => this.#mailbox.interrupt(error);
    this.#looker = new Looker({ backoff, tell, look: (signal) => this.#list(signal) });
    this.#lateLooker = new Looker({
      backoff,
      tell,
      look: async (signal) => {
        for (const requestId of this.#late) {
          this.#late.delete(requestId);
          // Behind the others, should it fail again.
          this.#late.add(requestId);
          await tryToRead(requestId, signal).catch((error: unknown) => {
            if (isOutage(error)) throw error;
          });
          this.#late.delete(requestId);
          this.#mailbox.push([requestId]);
        }
      },
    });
  }

  /** Aborts when this is stopped. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** One that is known to be there. */
  add(requestId: string): void {
    if (this.#seen.has(requestId)) return;
    this.#seen.add(requestId);
    this.#mailbox.push([requestId]);
  }

  /** Gives it again once it can be read, and until then those behind it. */
  putOff(requestId: string): void {
    this.#late.add(requestId);
    this.#lateLooker.look();
  }

  /** Looks for all that are open. */
  look(): void {
    this.#looker.look();
  }

  take(signal: AbortSignal): Promise<string | undefined> {
    return this.#mailbox.take({ signal });
  }

  stop(error: RelayError): void {
    this.#looker.stop();
    this.#lateLooker.stop();
    this.#mailbox.end(error);
    this.#stopped.abort();
  }

  async #list(signal: AbortSignal): Promise<void> {
    for (const { requestId } of await listOpen(this.#api, signal)) this.add(requestId);
  }
}

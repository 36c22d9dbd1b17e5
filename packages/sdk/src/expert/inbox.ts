import type { RelayError } from '../relay-error.ts';
import { Looker } from '../thread/looker.ts';
import { Mailbox } from '../thread/mailbox.ts';
import type { Api } from '../transport/api.ts';
import { listRequests } from '../transport/list-requests.ts';

/** The ids of open requests, each once: those that wait already, oldest first, then others as they come. */
export class Inbox {
  readonly #api: Api;
  readonly #looker: Looker;
  readonly #mailbox = new Mailbox<string>();
  readonly #seen = new Set<string>();

  constructor(api: Api) {
    this.#api = api;
    this.#looker = new Looker({
      backoff: api.backoff,
      look: (signal) => this.#list(signal),
      tell: (error) => this.#mailbox.interrupt(error),
    });
  }

  /** One that is known to be there. */
  add(requestId: string): void {
    if (this.#seen.has(requestId)) return;
    this.#seen.add(requestId);
    this.#mailbox.push([requestId]);
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
    this.#mailbox.end(error);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const open: { requestId: string; createdAt: string }[] = [];
    for (const status of ['pending', 'responded'] as const) {
      for await (const page of listRequests(this.#api, { status, signal })) open.push(...page);
    }
    open.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
    for (const { requestId } of open) this.add(requestId);
  }
}

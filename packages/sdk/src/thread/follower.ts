import type { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { Looker } from './looker.ts';
import type { Sender } from './sender.ts';
import type { Thread } from './thread.ts';

export interface FollowerOptions {
  readonly thread: Thread;
  readonly sender: Sender;
  /** Calls back when there may be news, and soon after the beginning. Gives what ends it. */
  readonly listen: (look: () => void) => () => void;
  readonly backoff: Api['backoff'];
}

/** Keeps a conversation up to date for as long as somebody waits for it, and no connection longer than that. */
export class Follower {
  readonly #options: FollowerOptions;
  #waiting = 0;
  #end: (() => void) | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Begins to wait. Gives what ends it. */
  follow(): () => void {
    this.#waiting += 1;
    if (!this.#end && !this.#options.thread.mailbox.hasEnded) this.#begin();
    let isWaiting = true;
    return () => {
      if (!isWaiting) return;
      isWaiting = false;
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#finish();
    };
  }

  /** Tells whoever waits that nobody looks any more. */
  stop(error: RelayError): void {
    this.#finish();
    this.#options.thread.mailbox.interrupt(error);
  }

  #begin(): void {
    const { thread, sender, listen, backoff } = this.#options;
    const { mailbox } = thread;
    const looker = new Looker({
      backoff,
      async look(signal) {
        await thread.read(signal);
        if (sender.isDue && !mailbox.hasEnded) await sender.flush(signal);
        if (mailbox.hasEnded) end();
      },
      tell(error) {
        if (mailbox.hasEnded) end();
        else mailbox.interrupt(error);
      },
    });
    const unlisten = listen(() => looker.look());
    const end = () => {
      unlisten();
      looker.stop();
    };
    this.#end = end;
  }

  #finish(): void {
    this.#end?.();
    this.#end = undefined;
  }
}

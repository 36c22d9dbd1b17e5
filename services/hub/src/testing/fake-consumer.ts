import type { Consumer, StoredMessage } from '../nats/ordered-consumer.ts';

/** A consumer that delivers the messages that a test gives it. */
export class FakeConsumer implements Consumer {
  readonly pending: number;
  readonly ended: Promise<string>;
  hasStarted = false;
  hasEnded = false;
  #onMessage: (message: StoredMessage) => void = () => {};
  #resolveEnded: (reason: string) => void = () => {};

  constructor(pending: number) {
    this.pending = pending;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  start(onMessage: (message: StoredMessage) => void): void {
    this.#onMessage = onMessage;
    this.hasStarted = true;
  }

  end(reason: string): void {
    this.hasEnded = true;
    this.#resolveEnded(reason);
  }

  deliver(messages: readonly StoredMessage[]): void {
    for (const message of messages) if (!this.hasEnded) this.#onMessage(message);
  }
}

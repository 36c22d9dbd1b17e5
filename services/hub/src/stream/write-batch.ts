import type { Socket } from 'node:net';

/**
 * Holds back what is written during one turn of the event loop, so that a burst of events costs each
 * subscriber one system call and not one per event.
 */
export class WriteBatch {
  #held: Socket[] = [];

  hold(socket: Socket): void {
    socket.cork();
    if (this.#held.push(socket) === 1) setImmediate(() => this.#release());
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const socket of held) socket.uncork();
  }
}

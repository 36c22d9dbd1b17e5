import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Lets no connection be used again once it is old, so that instances which came later get their share.
 * Lives differ by a third, so that connections made together do not end together.
 */
export function limitSocketLife(agent: Agent, { life }: { life: number }): void {
  const until = new WeakMap<Duplex, number>();
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);

  agent.keepSocketAlive = (socket) => {
    const now = performance.now();
    const end = until.get(socket) ?? now + life * (1 - Math.random() / 3);
    until.set(socket, end);
    return now < end && keepSocketAlive(socket);
  };
}

import { listInstances } from '../environment/topology.ts';
import type { Fault } from './fault.ts';

/** One process is killed under load. The supervisor starts it again, as a cluster would. */
const killed = (affects: Fault['affects'], names: readonly string[]): Fault => ({
  affects,
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 6_000);
    const name = random.pick(names);
    return {
      title: `${name} killed`,
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        await processes.kill(name);
        await processes.waitUntilReady(name);
      },
    };
  },
});

export const gatewayKilled: Fault = killed('service', ['gateway']);
export const requestsKilled: Fault = killed('service', ['requests-1', 'requests-2']);
export const messagesKilled: Fault = killed('service', ['messages-1', 'messages-2']);

/** Not a fault, but the most frequent event: a deployment that restarts one half of the processes after the other. */
export const redeployed: Fault = {
  affects: 'service',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const names = listInstances(2).map(({ name }) => name);
    const second = names.filter((name) => name.endsWith('-2'));
    const first = names.filter((name) => !second.includes(name));
    return {
      title: 'all services redeployed',
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        for (const half of [first, second]) await Promise.all(half.map(processes.restart));
      },
    };
  },
};

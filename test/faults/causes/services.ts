import { lineUp } from '../stage/line-up.ts';
import type { Fault } from './fault.ts';

/** One process is killed under load; the supervisor starts it again, as a cluster would. */
const killed = (takes: Fault['takes'], names: readonly string[]): Fault => ({
  takes,
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 6_000);
    const name = random.pick(names);
    return {
      title: `${name} killed`,
      async cause({ timeline, processes }) {
        await timeline.until(at);
        await processes.kill(name);
        await processes.ready(name);
      },
    };
  },
});

export const gatewayKilled: Fault = killed('service', ['gateway']);
export const requestsKilled: Fault = killed('service', ['requests-1', 'requests-2']);
export const messagesKilled: Fault = killed('service', ['messages-1', 'messages-2']);

/** No fault at all, but what happens most often: a new release, one half of the processes after the other. */
export const deployed: Fault = {
  takes: 'service',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const names = lineUp(2).map(({ name }) => name);
    const second = names.filter((name) => name.endsWith('-2'));
    const first = names.filter((name) => !second.includes(name));
    return {
      title: 'everything deployed anew',
      async cause({ timeline, processes }) {
        await timeline.until(at);
        for (const half of [first, second]) await Promise.all(half.map(processes.replace));
      },
    };
  },
};

import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

const killUnder = (counts: readonly number[], combines: boolean): Fault => ({
  takes: 'hub',
  combines,
  draw(random, { conversations }) {
    const readersPerRequest = Math.ceil(random.pick(counts) / conversations);
    const at = random.integer(4_000, 7_000);
    const name = random.pick(['hub-1', 'hub-2']);
    const readers = readersPerRequest * conversations;
    return {
      title: `${name} killed under ${readers.toLocaleString('en')} resuming readers`,
      needs: { readersPerRequest },
      async cause({ timeline, processes }) {
        await timeline.until(at);
        await processes.kill(name);
        await processes.ready(name);
      },
    };
  },
});

export const hubKilled: Fault = killUnder([100, 200, 400], true);
export const hubKilledUnderMany: Fault = killUnder([1_000], false);

export const restlessReader: Fault = {
  takes: 'readers',
  combines: true,
  draw(random) {
    const times = 200;
    const waits = Array.from({ length: times }, () => random.integer(1, 70));
    return {
      title: `a reader reconnects ${times} times`,
      async cause({ timeline, readers }) {
        await timeline.until(500);
        const [restless] = readers;
        for (const wait of waits) {
          await pause(wait);
          restless?.drop();
        }
      },
    };
  },
};

export const silentReaders: Fault = {
  takes: 'readers',
  combines: true,
  draw: () => ({
    title: '100 readers that never read',
    async cause({ timeline, openSilentReaders }) {
      await timeline.until(200);
      openSilentReaders(100);
    },
  }),
};

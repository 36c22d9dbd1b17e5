import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

const killUnder = (counts: readonly number[], combines: boolean): Fault => ({
  affects: 'hub',
  combines,
  draw(random, { conversations }) {
    const readersPerRequest = Math.ceil(random.pick(counts) / conversations);
    const at = random.integer(4_000, 7_000);
    const name = random.pick(['hub-1', 'hub-2']);
    const readers = readersPerRequest * conversations;
    return {
      title: `${name} killed under ${readers.toLocaleString('en')} resuming readers`,
      needs: { readersPerRequest },
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        await processes.kill(name);
        await processes.waitUntilReady(name);
      },
    };
  },
});

export const hubKilled: Fault = killUnder([100, 200, 400], true);
export const hubKilledUnderMany: Fault = killUnder([1_000], false);

export const reconnectingReader: Fault = {
  affects: 'readers',
  combines: true,
  draw(random) {
    const times = 200;
    const waits = Array.from({ length: times }, () => random.integer(1, 70));
    return {
      title: `a reader reconnects ${times} times`,
      async inject({ timeline, readers }) {
        await timeline.waitUntil(500);
        const [reader] = readers;
        for (const wait of waits) {
          await pause(wait);
          reader?.drop();
        }
      },
    };
  },
};

export const silentReaders: Fault = {
  affects: 'readers',
  combines: true,
  draw: () => ({
    title: '100 readers that never read',
    async inject({ timeline, openSilentReaders }) {
      await timeline.waitUntil(200);
      openSilentReaders(100);
    },
  }),
};

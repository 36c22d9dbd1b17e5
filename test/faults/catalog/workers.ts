import { type Fault, seconds } from './fault.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `expiry-worker-${index + 1}`);

export const workersOff: Fault = {
  affects: 'worker',
  combines: true,
  draw(random) {
    const at = random.integer(500, 3_000);
    const back = random.integer(11_000, 14_000);
    return {
      title: `workers off across the expiry, for ${seconds(Math.round((back - at) / 1_000) * 1_000)}`,
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        await Promise.all(names(2).map(processes.takeDown));
        await timeline.waitUntil(back);
        await Promise.all(names(2).map(processes.bringBack));
      },
    };
  },
};

export const threeWorkersRace: Fault = {
  affects: 'worker',
  combines: false,
  draw: () => ({
    title: 'three workers race for the same rows',
    needs: { workers: 3, seeded: { count: 5_000, expireAt: 5_000, spread: 0 } },
    // Without Redis there is no queue, so each worker sweeps on its own.
    async inject({ timeline, network }) {
      await timeline.waitUntil(3_500);
      await Promise.all(network.to('redis').map((proxy) => proxy.cut()));
      await timeline.waitUntil(10_000);
      await Promise.all(network.to('redis').map((proxy) => proxy.restore()));
    },
  }),
};

export const workerKilled: Fault = {
  affects: 'worker',
  combines: false,
  draw(random) {
    const count = random.pick([4_000, 8_000]);
    const seeded = { count, expireAt: 5_000, spread: 0 };
    return {
      title: `workers killed in the middle of a batch of ${count.toLocaleString('en')}`,
      needs: { seeded },
      async inject({ timeline, database, processes }) {
        await timeline.waitUntil(seeded.expireAt - 200);
        await database.waitUntil('a batch is running', batchIsRunning, { timeoutMs: 60_000 });
        await Promise.all(names(2).map(processes.kill));
        await Promise.all(names(2).map(processes.waitUntilReady));
      },
    };
  },
};

const batchIsRunning = `
  SELECT count(*) > 0 FROM pg_stat_activity
  WHERE state = 'active' AND query LIKE '%ended AS (%' AND pid <> pg_backend_pid()`;

export const workerClockWrong: Fault = {
  affects: 'worker',
  combines: true,
  draw(random) {
    const hour = 3_600_000;
    const shift = random.pick([-hour, hour]);
    const wrong = names(2).slice(0, random.integer(1, 2));
    const whose = wrong.length === 2 ? "both workers' clocks" : "a worker's clock";
    return {
      title: `${whose} an hour ${shift < 0 ? 'behind' : 'ahead'}`,
      needs: { clocks: Object.fromEntries(wrong.map((name) => [name, shift])) },
      inject: async () => {},
    };
  },
};

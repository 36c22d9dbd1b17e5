import { type Fault, seconds } from './fault.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `expiry-worker-${index + 1}`);

export const workersOff: Fault = {
  takes: 'worker',
  combines: true,
  draw(random) {
    const at = random.integer(500, 3_000);
    const back = random.integer(11_000, 14_000);
    return {
      title: `workers off across the expiry, for ${seconds(Math.round((back - at) / 1_000) * 1_000)}`,
      async cause({ timeline, processes }) {
        await timeline.until(at);
        await Promise.all(names(2).map(processes.takeAway));
        await timeline.until(back);
        await Promise.all(names(2).map(processes.bringBack));
      },
    };
  },
};

export const threeWorkersRace: Fault = {
  takes: 'worker',
  combines: false,
  draw: () => ({
    title: 'three workers race for the same rows',
    needs: { workers: 3, crowd: { count: 5_000, dueAt: 5_000, spread: 0 } },
    // Without Redis nobody hands out the work: each worker sweeps by itself.
    async cause({ timeline, network }) {
      await timeline.until(3_500);
      await Promise.all(network.to('redis').map((cable) => cable.cut()));
      await timeline.until(10_000);
      await Promise.all(network.to('redis').map((cable) => cable.restore()));
    },
  }),
};

export const workerKilled: Fault = {
  takes: 'worker',
  combines: false,
  draw(random) {
    const count = random.pick([4_000, 8_000]);
    const crowd = { count, dueAt: 5_000, spread: 0 };
    return {
      title: `workers killed in the middle of a batch of ${count.toLocaleString('en')}`,
      needs: { crowd },
      async cause({ timeline, database, processes }) {
        await timeline.until(crowd.dueAt - 200);
        await database.until('a batch is under way', batchUnderWay, { within: 60_000 });
        await Promise.all(names(2).map(processes.kill));
        await Promise.all(names(2).map(processes.ready));
      },
    };
  },
};

const batchUnderWay = `
  SELECT count(*) > 0 FROM pg_stat_activity
  WHERE state = 'active' AND query LIKE '%ended AS (%' AND pid <> pg_backend_pid()`;

export const workerClockWrong: Fault = {
  takes: 'worker',
  combines: true,
  draw(random) {
    const hour = 3_600_000;
    const shift = random.pick([-hour, hour]);
    const wrong = names(2).slice(0, random.integer(1, 2));
    const whose = wrong.length === 2 ? "both workers' clocks" : "a worker's clock";
    return {
      title: `${whose} an hour ${shift < 0 ? 'behind' : 'ahead'}`,
      needs: { clocks: Object.fromEntries(wrong.map((name) => [name, shift])) },
      cause: async () => {},
    };
  },
};

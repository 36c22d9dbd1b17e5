import { eventually } from '@expert-relay/testkit';
import { type Fault, type Scene, seconds } from './fault.ts';

const pendingKey = 'relay:expiry:end:delayed';
const schedulerKeys = ['relay:expiry:sweep:repeat', 'relay:expiry:sweep:delayed'];

async function pendingJobs({ tellRedis }: Scene): Promise<number> {
  return Number(await tellRedis('ZCARD', pendingKey));
}

const flushed = (count: number): Fault => ({
  takes: 'redis',
  combines: false,
  draw: () => ({
    title: `Redis flushed with ${count.toLocaleString('en')} jobs pending`,
    // Sweeps that look far ahead, so that so many jobs come to wait at once.
    needs: { crowd: { count, dueAt: 9_000, spread: 1_000 }, workerTtl: '45s' },
    async cause(scene) {
      const allPlanned = async () => (await pendingJobs(scene)) >= count || scene.timeline.now > 8_800;
      await eventually('the jobs are planned', allPlanned, { within: 60_000 });
      const pending = await pendingJobs(scene);
      await scene.tellRedis('FLUSHALL');
      scene.remark(`${pending.toLocaleString('en')} jobs flushed`);
    },
  }),
});

export const redisFlushed: Fault = flushed(2_000);
export const redisFlushedUnderMany: Fault = flushed(10_000);

export const redisKilled: Fault = {
  takes: 'redis',
  combines: true,
  draw(random) {
    const at = random.integer(2_000, 7_000);
    const away = random.pick([0, 1_500, 5_000]);
    return {
      title: away === 0 ? 'Redis killed' : `Redis killed, back after ${seconds(away)}`,
      async cause({ timeline, processes }) {
        await timeline.until(at);
        await processes.takeAway('redis');
        await timeline.until(at + away);
        await processes.bringBack('redis');
      },
    };
  },
};

export const schedulerDeleted: Fault = {
  takes: 'redis',
  combines: true,
  draw(random) {
    const at = random.integer(2_000, 6_000);
    const key = random.pick(schedulerKeys);
    return {
      title: `the scheduler's key deleted (${key.split(':').at(-1)})`,
      async cause({ timeline, tellRedis }) {
        await timeline.until(at);
        await tellRedis('DEL', key);
      },
    };
  },
};

import { eventually } from '@expert-relay/testkit';
import { type Fault, type FaultContext, serverKilled } from './fault.ts';

const pendingKey = 'relay:expiry:end:delayed';
const schedulerKeys = ['relay:expiry:sweep:repeat', 'relay:expiry:sweep:delayed'];

async function pendingJobs({ sendRedisCommand }: FaultContext): Promise<number> {
  return Number(await sendRedisCommand('ZCARD', pendingKey));
}

const flushed = (count: number): Fault => ({
  affects: 'redis',
  combines: false,
  draw: () => ({
    title: `Redis flushed with ${count.toLocaleString('en')} jobs pending`,
    // Sweeps that plan far ahead, so that all jobs wait at the same time.
    needs: { seeded: { count, expireAt: 9_000, spread: 1_000 }, workerTtl: '45s' },
    async inject(context) {
      const allPlanned = async () => (await pendingJobs(context)) >= count || context.timeline.now > 8_800;
      await eventually('the jobs are planned', allPlanned, { timeoutMs: 60_000 });
      const pending = await pendingJobs(context);
      await context.sendRedisCommand('FLUSHALL');
      context.remark(`${pending.toLocaleString('en')} jobs flushed`);
    },
  }),
});

export const redisFlushed: Fault = flushed(2_000);
export const redisFlushedUnderMany: Fault = flushed(10_000);

export const redisKilled = serverKilled('redis', {
  name: 'Redis',
  atMs: [2_000, 7_000],
  downMs: [0, 1_500, 5_000],
});

export const schedulerDeleted: Fault = {
  affects: 'redis',
  combines: true,
  draw(random) {
    const at = random.integer(2_000, 6_000);
    const key = random.pick(schedulerKeys);
    return {
      title: `the scheduler's key deleted (${key.split(':').at(-1)})`,
      async inject({ timeline, sendRedisCommand }) {
        await timeline.waitUntil(at);
        await sendRedisCommand('DEL', key);
      },
    };
  },
};

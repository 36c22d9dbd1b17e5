import { eventually } from '@expert-relay/testkit';
import { pair } from '../environment/topology.ts';
import { type Fault, type FaultContext, seconds } from './fault.ts';

const seeded = { count: 3_000, expireAt: 5_000, spread: 0 };

/** Resolves in the middle of a batch, when some of the ends of the seeded requests are published. */
async function waitForMidBatch({ database }: FaultContext): Promise<void> {
  await database.waitUntil(
    'some of the ends are published',
    `SELECT count(*) > 300 FROM outbox_events WHERE type = 'request_closed' AND published_at IS NOT NULL`,
    { timeoutMs: 60_000 },
  );
}

/** Removes the leader, and records how long there was none. */
async function replaceLeader(
  context: FaultContext,
  remove: (leader: string) => Promise<void>,
): Promise<void> {
  const before = context.outboxLeaders();
  const leader = before.at(-1)?.name ?? '';
  await remove(leader);
  const removedAt = Date.now();
  const next = await eventually(
    'another process is the outbox leader',
    () => context.outboxLeaders()[before.length],
    {
      timeoutMs: 60_000,
    },
  );
  const gapSeconds = (next.at - removedAt) / 1_000;
  // Two seconds by design, on a machine without other load.
  context.remark(
    `${next.name} became the leader after ${Math.max(0, gapSeconds).toFixed(1)} s${gapSeconds > 4 ? ': LATE' : ''}`,
  );
}

export const leaderKilled: Fault = {
  affects: 'leader',
  combines: false,
  draw: () => ({
    title: 'outbox leader killed in mid-batch',
    needs: { seeded },
    async inject(context) {
      await waitForMidBatch(context);
      await replaceLeader(context, context.processes.kill);
    },
  }),
};

export const leaderFrozen: Fault = {
  affects: 'leader',
  combines: false,
  draw(random) {
    const durationMs = random.pick([3_000, 6_000]);
    return {
      title: `outbox leader frozen for ${seconds(durationMs)} in mid-batch`,
      needs: { seeded },
      async inject(context) {
        await waitForMidBatch(context);
        const unfreezeAt = context.timeline.now + durationMs;
        await replaceLeader(context, async (leader) => {
          context.processes.freeze(leader);
          void context.timeline.waitUntil(unfreezeAt).then(() => context.processes.unfreeze(leader));
        });
        await context.timeline.waitUntil(unfreezeAt);
      },
    };
  },
};

export const leaderCutOff: Fault = {
  affects: 'leader',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const durationMs = random.integer(3, 8) * 1_000;
    return {
      title: `outbox leader silently disconnected from Postgres for ${seconds(durationMs)}`,
      async inject(context) {
        await context.timeline.waitUntil(at);
        await replaceLeader(context, async (leader) => {
          const proxy = context.network.proxy(pair(leader, 'postgres'));
          proxy.hold();
          void context.timeline.waitUntil(at + durationMs).then(proxy.restore);
        });
        await context.timeline.waitUntil(at + durationMs);
      },
    };
  },
};

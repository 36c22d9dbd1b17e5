import { eventually } from '@expert-relay/testkit';
import { pair } from '../stage/line-up.ts';
import { type Fault, type Scene, seconds } from './fault.ts';

const crowd = { count: 3_000, dueAt: 5_000, spread: 0 };

/**
 * An event for each of the crowd, of whom none has been told yet: their ends are a dozen, of hundreds each. It tells of
 * a key exchange: field 11 of `DomainEvent`, with nothing in it.
 */
const tellOfCrowd = `
  WITH changed AS (
    UPDATE help_requests SET seq = seq + 1
    WHERE status = 'pending' AND NOT EXISTS (SELECT FROM outbox_events WHERE request_id = help_requests.id)
    RETURNING user_id, id, ref_code, seq
  )
  INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq)
  SELECT 'key_exchange', '\\x5a00', user_id, id, ref_code, seq FROM changed`;

/** Resolves in the middle of a batch: some of the crowd's events are published, some wait. */
async function midBatch({ database, timeline }: Scene): Promise<void> {
  await timeline.until(crowd.dueAt - 1_000);
  await database.query(tellOfCrowd);
  await database.until(
    'some of the crowd’s events are published',
    `SELECT count(*) > 300 FROM outbox_events WHERE type = 'key_exchange' AND published_at IS NOT NULL`,
    { within: 60_000 },
  );
}

/** Has the leader taken away, and tells how long nobody led. */
async function replaceLeader(scene: Scene, takeAway: (leader: string) => Promise<void>): Promise<void> {
  const before = scene.leaders();
  const leader = before.at(-1)?.name ?? '';
  await takeAway(leader);
  const gone = Date.now();
  const next = await eventually('another leads the outbox', () => scene.leaders()[before.length], {
    within: 60_000,
  });
  const took = (next.at - gone) / 1_000;
  // By design two seconds, on a machine with time.
  scene.remark(`${next.name} led after ${Math.max(0, took).toFixed(1)} s${took > 4 ? ': LATE' : ''}`);
}

export const leaderKilled: Fault = {
  takes: 'leader',
  combines: false,
  draw: () => ({
    title: 'outbox leader killed in mid-batch',
    needs: { crowd },
    async cause(scene) {
      await midBatch(scene);
      await replaceLeader(scene, scene.processes.kill);
    },
  }),
};

export const leaderFrozen: Fault = {
  takes: 'leader',
  combines: false,
  draw(random) {
    const lasts = random.pick([3_000, 6_000]);
    return {
      title: `outbox leader frozen for ${seconds(lasts)} in mid-batch`,
      needs: { crowd },
      async cause(scene) {
        await midBatch(scene);
        const thawAt = scene.timeline.now + lasts;
        await replaceLeader(scene, async (leader) => {
          scene.processes.freeze(leader);
          void scene.timeline.until(thawAt).then(() => scene.processes.thaw(leader));
        });
        await scene.timeline.until(thawAt);
      },
    };
  },
};

export const leaderCutOff: Fault = {
  takes: 'leader',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const lasts = random.integer(3, 8) * 1_000;
    return {
      title: `outbox leader hears nothing of Postgres for ${seconds(lasts)}`,
      async cause(scene) {
        await scene.timeline.until(at);
        await replaceLeader(scene, async (leader) => {
          const cable = scene.network.cable(pair(leader, 'postgres'));
          cable.hold();
          void scene.timeline.until(at + lasts).then(cable.restore);
        });
        await scene.timeline.until(at + lasts);
      },
    };
  },
};

import { type Fault, seconds, serverKilled } from './fault.ts';

// Events that it acknowledged and had not yet written to disk are lost with the process.
export const natsKilled = serverKilled('nats', {
  name: 'NATS',
  atMs: [1_500, 5_000],
  downMs: [0, 1_000, 4_000],
  losesPositions: true,
});

export const natsFrozen: Fault = {
  affects: 'nats',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const durationMs = random.pick([3_000, 8_000]);
    return freeze(at, durationMs);
  },
};

/** A seed with this fault takes longer than others. */
export const natsFrozenLong: Fault = {
  affects: 'nats',
  combines: false,
  draw: (random) => freeze(random.integer(500, 1_500), 20_000),
};

function freeze(at: number, durationMs: number): ReturnType<Fault['draw']> {
  return {
    title: `NATS frozen for ${seconds(durationMs)}`,
    async inject({ timeline, processes }) {
      await timeline.waitUntil(at);
      processes.freeze('nats');
      await timeline.waitUntil(at + durationMs);
      processes.unfreeze('nats');
    },
  };
}

export const natsDownAtExpiry: Fault = {
  affects: 'nats',
  combines: false,
  losesPositions: true,
  draw(random) {
    const expireAt = random.integer(5_000, 7_000);
    return {
      title: 'NATS down at the moment of expiry',
      needs: { seeded: { count: 1_000, expireAt, spread: 500 } },
      async inject({ timeline, processes }) {
        await timeline.waitUntil(expireAt - 1_000);
        await processes.takeDown('nats');
        await timeline.waitUntil(expireAt + 2_000);
        await processes.bringBack('nats');
      },
    };
  },
};

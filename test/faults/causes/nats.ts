import { type Fault, seconds } from './fault.ts';

export const natsKilled: Fault = {
  takes: 'nats',
  combines: true,
  // What it acknowledged but had not yet written is gone with the process.
  losesPositions: true,
  draw(random) {
    const at = random.integer(1_500, 5_000);
    const away = random.pick([0, 1_000, 4_000]);
    return {
      title: away === 0 ? 'NATS killed' : `NATS killed, back after ${seconds(away)}`,
      async cause({ timeline, processes }) {
        await timeline.until(at);
        await processes.takeAway('nats');
        await timeline.until(at + away);
        await processes.bringBack('nats');
      },
    };
  },
};

export const natsFrozen: Fault = {
  takes: 'nats',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const lasts = random.pick([3_000, 8_000]);
    return freeze(at, lasts);
  },
};

/** The long form: the seed takes longer than others. */
export const natsFrozenLong: Fault = {
  takes: 'nats',
  combines: false,
  draw: (random) => freeze(random.integer(500, 1_500), 20_000),
};

function freeze(at: number, lasts: number): ReturnType<Fault['draw']> {
  return {
    title: `NATS frozen for ${seconds(lasts)}`,
    async cause({ timeline, processes }) {
      await timeline.until(at);
      processes.freeze('nats');
      await timeline.until(at + lasts);
      processes.thaw('nats');
    },
  };
}

export const natsDownAtExpiry: Fault = {
  takes: 'nats',
  combines: false,
  losesPositions: true,
  draw(random) {
    const dueAt = random.integer(5_000, 7_000);
    return {
      title: 'NATS down at the moment of expiry',
      needs: { crowd: { count: 1_000, dueAt, spread: 500 } },
      async cause({ timeline, processes }) {
        await timeline.until(dueAt - 1_000);
        await processes.takeAway('nats');
        await timeline.until(dueAt + 2_000);
        await processes.bringBack('nats');
      },
    };
  },
};

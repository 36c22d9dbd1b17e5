import { type Fault, seconds } from './fault.ts';

export const postgresKilled: Fault = {
  takes: 'postgres',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 5_000);
    const away = random.pick([0, 2_000]);
    return {
      title: away === 0 ? 'Postgres killed' : `Postgres killed, back after ${seconds(away)}`,
      async cause({ timeline, processes }) {
        await timeline.until(at);
        await processes.takeAway('postgres');
        await timeline.until(at + away);
        await processes.bringBack('postgres');
      },
    };
  },
};

export const postgresCut: Fault = {
  takes: 'postgres',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const lasts = random.integer(1, 6) * 1_000;
    const silently = random.chance(0.5);
    return {
      title: `all connections to Postgres ${silently ? 'silent' : 'cut'} for ${seconds(lasts)}`,
      async cause({ timeline, network }) {
        await timeline.until(at);
        const cables = network.to('postgres');
        await Promise.all(cables.map((cable) => (silently ? cable.hold() : cable.cut())));
        await timeline.until(at + lasts);
        await Promise.all(cables.map((cable) => cable.restore()));
      },
    };
  },
};

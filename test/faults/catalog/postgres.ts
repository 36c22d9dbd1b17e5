import { type Fault, seconds } from './fault.ts';

export const postgresKilled: Fault = {
  affects: 'postgres',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 5_000);
    const downMs = random.pick([0, 2_000]);
    return {
      title: downMs === 0 ? 'Postgres killed' : `Postgres killed, back after ${seconds(downMs)}`,
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        await processes.takeDown('postgres');
        await timeline.waitUntil(at + downMs);
        await processes.bringBack('postgres');
      },
    };
  },
};

export const postgresCut: Fault = {
  affects: 'postgres',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const durationMs = random.integer(1, 6) * 1_000;
    const silently = random.chance(0.5);
    return {
      title: `all connections to Postgres ${silently ? 'silent' : 'cut'} for ${seconds(durationMs)}`,
      async inject({ timeline, network }) {
        await timeline.waitUntil(at);
        const proxies = network.to('postgres');
        await Promise.all(proxies.map((proxy) => (silently ? proxy.hold() : proxy.cut())));
        await timeline.waitUntil(at + durationMs);
        await Promise.all(proxies.map((proxy) => proxy.restore()));
      },
    };
  },
};

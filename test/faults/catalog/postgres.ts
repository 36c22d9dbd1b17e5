import { type Fault, seconds, serverKilled } from './fault.ts';

export const postgresKilled = serverKilled('postgres', {
  name: 'Postgres',
  atMs: [1_500, 5_000],
  downMs: [0, 2_000],
});

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

import type { Environment } from '../../environment/environment.ts';
import { spreadOf } from '../../measure/spread.ts';
import type { Row } from '../row.ts';
import { startSubmits } from './submits.ts';
import { callWebhooks, insertDue, openReceivers } from './webhooks.ts';

const perSecond = 20;
const seconds = 8;
/** Webhooks that work: each gets every request, as the bad ones do. */
const working = 4;
/** Webhooks of each bad kind. */
const bad = 4;
const goal = 1.5;

/** The time from the insert of a delivery to its end, in milliseconds. */
const latencyText = `
  SELECT (percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM ended_at - created_at)) * 1000)::float8 AS p99,
    (percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM ended_at - created_at)) * 1000)::float8 AS median,
    count(*) FILTER (WHERE state <> 'delivered')::int AS left, count(*)::int AS all
  FROM notification_deliveries WHERE endpoint_id = ANY($1::uuid[])`;

interface Measured {
  /** Of the notifier, while requests were submitted. */
  readonly cores: number;
  readonly p99: number;
  readonly median: number;
  readonly left: number;
  readonly all: number;
}

/** What a bad receiver costs the other webhooks of the same user: the 99th percentile of their deliveries, with and without it. */
export const hostileReceivers: Row = {
  name: 'hostile-receivers',
  onlyByName: true,
  async measure(environment, { progress, rounds }) {
    await environment.service('requests');
    await environment.database.waitForOutboxLeader();
    const notifier = await environment.service('notifier');
    const calls = await callWebhooks(environment);
    const { works = '', ...hostile } = await openReceivers(environment);
    const good: string[] = [];
    for (let n = 0; n < working; n++) good.push(await calls.add(works));
    const submit = await startSubmits(environment, perSecond);

    async function measureWith(url: string | undefined, waiting: number): Promise<Measured> {
      const added: string[] = [];
      for (let n = 0; url !== undefined && n < bad; n++) added.push(await calls.add(url));
      if (waiting > 0) await insertDue(environment, added.slice(0, 1), waiting);
      // The first attempts to a bad receiver are the ones that find it bad.
      await submit(2);
      await environment.database.query(
        'DELETE FROM notification_deliveries WHERE endpoint_id = ANY($1::uuid[])',
        [good],
      );
      const before = await notifier.usage();
      await submit(seconds);
      const { cpu } = await notifier.usage();
      await environment.database.waitUntilPublished();
      const result = await untilEnded(environment, good);
      for (const id of added) await calls.remove(id);
      return { ...result, cores: (cpu - before.cpu) / 1e6 / seconds };
    }

    const kinds: [name: string, url: string, waiting: number][] = Object.entries(hostile).map(
      ([name, url]) => [name, url, 0],
    );
    kinds.push(['hangs, and 10,000 deliveries wait', hostile['hangs after the connection'] ?? '', 10_000]);
    const without: Measured[] = [];
    const withBad = new Map<string, { p99: number; ratio: number; cores: number }[]>(
      kinds.map(([name]) => [name, []]),
    );
    progress('warm-up');
    await measureWith(undefined, 0);
    for (let round = 1; round <= rounds; round++) {
      for (const [name, url, waiting] of kinds) {
        // Each has a baseline of its own, since other work on the machine comes and goes.
        progress(`round ${round} of ${rounds}: without`);
        const base = await measureWith(undefined, 0);
        progress(`round ${round} of ${rounds}: one that ${name}`);
        const { p99, cores } = await measureWith(url, waiting);
        without.push(base);
        withBad.get(name)?.push({ p99, ratio: p99 / base.p99, cores });
      }
    }
    const usage = await notifier.usage({ collectGarbage: true });
    const base = spreadOf(without.map(({ p99 }) => p99));
    return [
      {
        title: `hostile-receivers: ${working} webhooks that work, ${perSecond} requests/s, nothing else`,
        note: `p99 ${base.median.toFixed(0)} ms (${base.min.toFixed(0)}-${base.max.toFixed(0)}), median ${spreadOf(without.map(({ median }) => median)).median.toFixed(0)} ms; ${share(without)} of a core; heap of the notifier at the end ${(usage.heap / 2 ** 20).toFixed(0)} MB`,
      },
      ...[...withBad].map(([name, results]) => {
        const ratio = spreadOf(results.map((one) => one.ratio));
        const p99 = spreadOf(results.map((one) => one.p99));
        return {
          title: `  and ${bad} that ${name}`,
          note: `p99 ${p99.median.toFixed(0)} ms, ${ratio.median.toFixed(2)} times (${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)}), ${share(results)} of a core; goal <= ${goal}: ${ratio.median <= goal ? 'met' : 'MISSED'}`,
        };
      }),
    ];
  },
};

const share = (results: readonly { cores: number }[]): string =>
  `${(spreadOf(results.map(({ cores }) => cores)).median * 100).toFixed(0)} %`;

/** Waits until the deliveries of these webhooks have ended. */
async function untilEnded(
  { database }: Environment,
  ids: readonly string[],
): Promise<Omit<Measured, 'cores'>> {
  for (;;) {
    const [measured] = await database.query<Omit<Measured, 'cores'>>(latencyText, [ids]);
    if (measured && measured.all >= perSecond * seconds * working && measured.left === 0) return measured;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

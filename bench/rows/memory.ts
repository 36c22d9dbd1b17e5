import { loadSubject } from '../measure/load-subject.ts';
import { measureOnce } from '../measure/measure-once.ts';
import { spreadOf } from '../measure/spread.ts';
import type { Line } from '../measure/table.ts';
import type { Usage } from '../programs/read-usage.ts';
import { everydayCalls } from '../requests/everyday-calls.ts';
import type { Controlled } from '../stage/controlled.ts';
import type { Stage } from '../stage/stage.ts';
import type { Row } from './row.ts';

/** How many calls each service behind the gateway has answered when its memory is looked at. */
const marks = [20_000, 60_000, 100_000];
const goal = 1.1;

/** Whether services keep anything of what they have answered: memory in use after a garbage collection. */
export const memory: Row = {
  name: 'memory',
  async play(stage, { progress }) {
    const services = await startAll(stage);
    const [gateway] = services;
    const calls = await everydayCalls(stage, gateway);
    const subject = loadSubject({
      name: 'the gateway',
      load: stage.load,
      processes: [gateway],
      makeRequests: () => calls,
    });
    const seen = new Map<Controlled, Usage[]>(services.map((service) => [service, []]));
    let answered = 0;
    for (const mark of marks) {
      progress(`up to ${mark.toLocaleString('en')} calls for each service`);
      // Of three calls in turn, each of the services behind the gateway answers one.
      await measureOnce(subject, (mark - answered) * 3);
      await stage.database.settled();
      answered = mark;
      for (const service of services) seen.get(service)?.push(await service.usage({ settled: true }));
    }
    return toLines([...seen]);
  },
};

async function startAll(stage: Stage): Promise<[Controlled, ...Controlled[]]> {
  const [messages, requests] = [await stage.service('messages'), await stage.service('requests')];
  const dashboard = await stage.service('dashboard', {
    // The only way in without GitHub or Google, and closed in production.
    env: { NODE_ENV: 'development', RELAY_DEV_LOGIN: 'true' },
  });
  // A ring that is full at the first mark: until then it may grow.
  const hub = await stage.service('hub', { env: { RELAY_HUB_RING_EVENTS: '10000' } });
  const worker = await stage.service('expiry-worker');
  return [await stage.service('gateway'), requests, messages, dashboard, hub, worker];
}

function toLines(seen: readonly (readonly [Controlled, readonly Usage[]])[]): readonly Line[] {
  const growths = seen.map(([, usages]) => (usages.at(-1)?.heap ?? 0) / (usages[0]?.heap ?? 1));
  const ratio = spreadOf(growths);
  return [
    {
      title: `memory: heap after ${marks.map((mark) => `${mark / 1000}k`).join(', ')} calls, last / first`,
      ratio,
      goal: { text: `<= ${goal.toFixed(2)}`, reached: ratio.max <= goal },
    },
    ...seen.map(([{ name }, usages]) => ({
      title: `  ${name.padEnd(14)}`,
      note: `heap ${megabytes(usages.map(({ heap }) => heap))}, resident ${megabytes(usages.map(({ rss }) => rss))}`,
    })),
  ];
}

const megabytes = (bytes: readonly number[]) =>
  `${bytes.map((one) => (one / 2 ** 20).toFixed(1)).join(', ')} MB`;

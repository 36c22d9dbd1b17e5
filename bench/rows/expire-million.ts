import type { Latencies } from '../programs/pace.ts';
import { seedOverdue } from '../requests/seed-overdue.ts';
import { submission } from '../requests/submission.ts';
import type { Stage } from '../stage/stage.ts';
import { secondsUntilEnded } from './expire.ts';
import type { Row } from './row.ts';

const count = 1_000_000;
const pacePerSecond = 100;
const goals = { seconds: 30, slower: 2 };

/** A million overdue requests, and what the API's callers notice of their end. Takes some minutes. */
export const expireMillion: Row = {
  name: 'expire-million',
  onlyByName: true,
  async play(stage, { progress }) {
    const call = await callers(stage);
    progress('submits and look-ups, while nothing else happens');
    await call(3);
    const idle = await call(12);
    progress(`writing ${count.toLocaleString('en')} overdue requests`);
    const last = await seedOverdue(stage.database, stage.user.userId, { count, dueIn: -86_400, apart: 0.05 });
    await stage.database.query('VACUUM ANALYZE help_requests, request_stages');
    await stage.database.query('CHECKPOINT');

    progress('the worker ends them');
    const worker = await stage.service('expiry-worker');
    const ended = secondsUntilEnded(stage.database, last);
    const busy = await call(20);
    const seconds = await ended;
    const [fresh] = await stage.database.query<{ p99: number; waiting: number }>(freshEvents);
    const { cpu } = await worker.usage();
    const slower = busy.p99 / idle.p99;
    const perSecond = Math.round(count / seconds).toLocaleString('en');
    return [
      {
        title: 'expire-million:',
        note: `${seconds.toFixed(1)} s, ${perSecond} a second (goal <= ${goals.seconds} s); CPU of the worker ${(cpu / 1e6).toFixed(1)} s`,
      },
      {
        title: '  the API meanwhile:',
        note: `p99 ${slower.toFixed(2)} times that of idle (goal <= ${goals.slower}); ${told(busy)}; idle: ${told(idle)}`,
      },
      {
        title: '  events of submits meanwhile:',
        note: `published after ${((fresh?.p99 ?? Number.NaN) * 1_000).toFixed(0)} ms (p99), while up to ${fresh?.waiting.toLocaleString('en')} rows waited`,
      },
    ];
  },
};

/** How long the last submits' events waited, and how many rows still wait. */
const freshEvents = `
  SELECT
    (SELECT percentile_cont(0.99) WITHIN GROUP (
        ORDER BY extract(epoch FROM coalesce(published_at, clock_timestamp()) - recorded_at)::float8)
      FROM outbox_events WHERE type = 'new_request'
        AND recorded_at > (SELECT min(recorded_at) FROM outbox_events WHERE type = 'request_closed')) AS p99,
    (SELECT count(*)::int FROM outbox_events WHERE published_at IS NULL) AS waiting`;

const told = ({ calls, failed, median, p99 }: Latencies) =>
  `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} of ${calls} failed`;

/** Makes a submit and two look-ups in turn, from outside, for so many seconds. */
async function callers(stage: Stage): Promise<(seconds: number) => Promise<Latencies>> {
  await stage.service('messages');
  await stage.service('requests');
  const { port } = await stage.service('gateway');
  const load = await stage.program('paced-load');
  const { consumerKey } = stage.user;
  const body = JSON.stringify({ apiKey: consumerKey, ...submission });
  const submit = {
    method: 'POST',
    path: '/api/v1/help',
    headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
    body,
  };
  const list = { method: 'GET', path: '/api/v1/requests?limit=1', headers: { 'x-api-key': consumerKey } };
  const whoami = { method: 'GET', path: '/api/v1/whoami', headers: { 'x-api-key': consumerKey } };
  return (seconds) =>
    load.ask('run', { port, calls: [submit, list, whoami], perSecond: pacePerSecond, seconds });
}

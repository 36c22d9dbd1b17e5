import type { Environment } from '../environment/environment.ts';
import type { Latencies } from '../programs/paced-load.ts';
import { submission } from '../requests/samples.ts';
import { seedOverdue } from '../requests/seed.ts';
import { secondsUntilEnded } from './expire.ts';
import type { Row } from './row.ts';

const count = 1_000_000;
const callsPerSecond = 100;
const goals = { seconds: 30, slower: 2 };

/** A million overdue requests, and the latency of API calls while the worker ends them. Takes some minutes. */
export const expireMillion: Row = {
  name: 'expire-million',
  onlyByName: true,
  async measure(environment, { progress }) {
    const call = await startCallers(environment);
    progress('submits and reads, without other work');
    await call(3);
    const idle = await call(12);
    progress(`writing ${count.toLocaleString('en')} overdue requests`);
    const last = await seedOverdue(environment.database, environment.user.userId, {
      count,
      dueIn: -86_400,
      apart: 0.05,
    });
    await environment.database.query('VACUUM ANALYZE help_requests, request_stages');
    await environment.database.query('CHECKPOINT');

    progress('the worker ends them');
    const worker = await environment.service('expiry-worker');
    const ended = secondsUntilEnded(environment.database, last);
    const busy = await call(20);
    const seconds = await ended;
    const [fresh] = await environment.database.query<{ p99: number; waiting: number }>(freshEvents);
    const { cpu } = await worker.usage();
    const slower = busy.p99 / idle.p99;
    const perSecond = Math.round(count / seconds).toLocaleString('en');
    return [
      {
        title: 'expire-million:',
        note: `${seconds.toFixed(1)} s, ${perSecond} a second (goal <= ${goals.seconds} s); CPU of the worker ${(cpu / 1e6).toFixed(1)} s`,
      },
      {
        title: '  the API during that time:',
        note: `p99 ${slower.toFixed(2)} times that of idle (goal <= ${goals.slower}); ${formatLatencies(busy)}; idle: ${formatLatencies(idle)}`,
      },
      {
        title: '  events of submits during that time:',
        note: `published after ${((fresh?.p99 ?? Number.NaN) * 1_000).toFixed(0)} ms (p99), while up to ${fresh?.waiting.toLocaleString('en')} rows waited`,
      },
    ];
  },
};

/** How long the events of recent submits waited, and how many events are unpublished. */
const freshEvents = `
  SELECT
    (SELECT percentile_cont(0.99) WITHIN GROUP (
        ORDER BY extract(epoch FROM coalesce(published_at, clock_timestamp()) - recorded_at)::float8)
      FROM outbox_events WHERE type = 'new_request'
        AND recorded_at > (SELECT min(recorded_at) FROM outbox_events WHERE type = 'request_closed')) AS p99,
    (SELECT count(*)::int FROM outbox_events WHERE published_at IS NULL) AS waiting`;

const formatLatencies = ({ calls, failed, median, p99 }: Latencies) =>
  `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} of ${calls} failed`;

/** Returns a function that makes a submit and two reads in turn, through the gateway, for the given seconds. */
async function startCallers(environment: Environment): Promise<(seconds: number) => Promise<Latencies>> {
  await environment.service('messages');
  await environment.service('requests');
  const { port } = await environment.service('gateway');
  const load = await environment.program('paced-load');
  const { consumerKey } = environment.user;
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
    load.call('run', { port, calls: [submit, list, whoami], perSecond: callsPerSecond, seconds });
}

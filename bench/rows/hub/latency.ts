import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../environment/environment.ts';
import { roundTitle } from '../../measure/compare.ts';
import { profileRun } from '../../measure/profile.ts';
import { quantile } from '../../measure/spread.ts';
import type { Posted } from '../../programs/post-all.ts';
import { httpText } from '../../requests/http-request.ts';
import { seedOverdue, writeConversation } from '../../requests/seed.ts';
import type { Row } from '../row.ts';
import { pathOf } from './event-publisher.ts';

const topics = 1_000;
const perSecond = 500;
const seconds = 10;
const goals = { p50: 3, p99: 20 };
/** More than a sweep ends in the time of one round. */
const overdue = 30_000;

/** The time from the POST of a message to its event on the stream: gateway, messages, Postgres, outbox, NATS, hub. */
export const latency: Row = {
  name: 'latency',
  onlyByName: true,
  async measure(environment, { progress, rounds, profiles }) {
    progress('starting the services');
    const messages = await environment.service('messages');
    await environment.database.waitForOutboxLeader();
    const [gateway, hub] = [await environment.service('gateway'), await environment.service('hub')];
    const readers = await environment.program('subscribers');
    progress(`${topics} conversations`);
    const ids: string[] = [];
    for (let n = 0; n < topics; n++)
      ids.push(await writeConversation(environment.database, environment.user.userId, 0));
    await readers.call('open', { port: hub.port, paths: ids.map(pathOf) });

    const post = (count: number) => {
      const requests = Array.from({ length: count }, (_, n) =>
        message(ids[n % topics] ?? '', environment.user.providerKey),
      );
      return readers.call<Posted>('post', { port: gateway.port, requests, perSecond });
    };
    const results: Posted[] = [];
    for (let round = 0; round <= rounds; round++) {
      progress(roundTitle(round, rounds));
      const posted = await post(perSecond * (round === 0 ? 3 : seconds));
      if (round > 0) results.push(posted);
      await environment.database.waitUntilPublished();
    }
    const count = perSecond * seconds;
    const shares = profiles
      ? await profileRun([gateway, messages, hub], { count, folder: profiles, row: 'latency' }, () =>
          post(count),
        )
      : [];
    progress('beside a sweep');
    await seedOverdue(environment.database, environment.user.userId, {
      count: overdue,
      dueIn: -86_400,
      apart: 0.05,
    });
    await environment.service('expiry-worker');
    while ((await environment.database.query(firstEnd)).length === 0) await pause(20);
    const beside = await post(count);
    const [ended] = await environment.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM outbox_events WHERE type = 'request_closed'`,
    );
    await readers.call('close');
    const commits = await timeCommits(environment.database);

    const arrived = results.flatMap((one) => one.arrived);
    const answered = results.flatMap((one) => one.answered);
    const sum = (pick: (one: Posted) => number) => results.reduce((total, one) => total + pick(one), 0);
    const [p50, p99] = [quantile(arrived, 0.5), quantile(arrived, 0.99)];
    const lost = sum((one) => one.lost) + sum((one) => one.failed);
    const reached = p50 <= goals.p50 && p99 <= goals.p99 && lost === 0;
    return [
      {
        title: `latency: POST message -> SSE, ${topics} topics, ${perSecond} messages/s`,
        note: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, of ${arrived.length} lost ${lost}; goal p50 <= ${goals.p50}, p99 <= ${goals.p99}, lost 0: ${reached ? 'met' : 'MISSED'}`,
      },
      {
        title: '  the POST alone, to its answer',
        note: `p50 ${quantile(answered, 0.5).toFixed(1)} ms, p99 ${quantile(answered, 0.99).toFixed(1)} ms`,
      },
      {
        title: '  POST message -> SSE, beside a sweep',
        note: `p50 ${quantile(beside.arrived, 0.5).toFixed(1)} ms, p99 ${quantile(beside.arrived, 0.99).toFixed(1)} ms, of ${beside.arrived.length} lost ${beside.lost + beside.failed}; ${ended?.count.toLocaleString('en')} requests ended by then`,
      },
      {
        title: '  a commit alone, on the same disk, without other work',
        note: `p50 ${quantile(commits, 0.5).toFixed(1)} ms, p99 ${quantile(commits, 0.99).toFixed(1)} ms`,
      },
      ...shares,
    ];
  },
};

const firstEnd = `SELECT 1 FROM outbox_events WHERE type = 'request_closed' LIMIT 1`;

/** Milliseconds of the smallest possible commits: the lower limit for any answer. */
async function timeCommits(database: Environment['database']): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 500; n++) {
    const start = performance.now();
    await database.query(`SELECT pg_logical_emit_message(true, 'bench', 'a message')`);
    times.push(performance.now() - start);
  }
  return times;
}

function message(requestId: string, key: string): { text: string; id: string } {
  const id = randomUUID();
  const body = { role: 'provider', plaintext: 'Yes, it is stale.', messageId: id };
  const path = `/api/v1/message/${requestId}`;
  return { id, text: httpText('POST', path, { headers: { 'x-api-key': key }, body }) };
}

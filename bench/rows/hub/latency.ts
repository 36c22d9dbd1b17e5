import { randomUUID } from 'node:crypto';
import { profileRun } from '../../profile/profile-run.ts';
import type { Posted } from '../../programs/post-all.ts';
import { httpText } from '../../requests/http-text.ts';
import { writeConversation } from '../../requests/write-conversation.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Row } from '../row.ts';
import { pathOf } from './make-request-id.ts';

const topics = 1_000;
const perSecond = 500;
const seconds = 10;
const goals = { p50: 3, p99: 20 };

/** From sending a message to its event on the stream: through gateway, messages, Postgres, outbox, NATS and hub. */
export const latency: Row = {
  name: 'latency',
  onlyByName: true,
  async play(stage, { progress, rounds, profiles }) {
    progress('starting the services');
    const messages = await stage.service('messages');
    await stage.database.led();
    const [gateway, hub] = [await stage.service('gateway'), await stage.service('hub')];
    const readers = await stage.program('subscribers');
    progress(`${topics} conversations`);
    const ids: string[] = [];
    for (let n = 0; n < topics; n++) ids.push(await writeConversation(stage.database, stage.user.userId, 0));
    await readers.ask('open', { port: hub.port, paths: ids.map(pathOf) });

    const post = (count: number) => {
      const requests = Array.from({ length: count }, (_, n) =>
        message(ids[n % topics] ?? '', stage.user.providerKey),
      );
      return readers.ask<Posted>('post', { port: gateway.port, requests, perSecond });
    };
    const results: Posted[] = [];
    for (let round = 0; round <= rounds; round++) {
      progress(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
      const posted = await post(perSecond * (round === 0 ? 3 : seconds));
      if (round > 0) results.push(posted);
      await stage.database.settled();
    }
    const count = perSecond * seconds;
    const shares = profiles
      ? await profileRun([gateway, messages, hub], { count, folder: profiles, row: 'latency' }, () =>
          post(count),
        )
      : [];
    await readers.ask('close');
    const commits = await timeCommits(stage.database);

    const arrived = results.flatMap((one) => one.arrived).sort((a, b) => a - b);
    const answered = results.flatMap((one) => one.answered).sort((a, b) => a - b);
    const sum = (pick: (one: Posted) => number) => results.reduce((total, one) => total + pick(one), 0);
    const [p50, p99] = [at(arrived, 0.5), at(arrived, 0.99)];
    const lost = sum((one) => one.lost) + sum((one) => one.failed);
    const reached = p50 <= goals.p50 && p99 <= goals.p99 && lost === 0;
    return [
      {
        title: `latency: POST message -> SSE, ${topics} topics, ${perSecond} messages/s`,
        note: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, of ${arrived.length} lost ${lost}; goal p50 <= ${goals.p50}, p99 <= ${goals.p99}, lost 0: ${reached ? 'met' : 'MISSED'}`,
      },
      {
        title: '  the POST alone, to its answer',
        note: `p50 ${at(answered, 0.5).toFixed(1)} ms, p99 ${at(answered, 0.99).toFixed(1)} ms`,
      },
      {
        title: '  a commit alone, on the same disk, with nothing else going on',
        note: `p50 ${at(commits, 0.5).toFixed(1)} ms, p99 ${at(commits, 0.99).toFixed(1)} ms`,
      },
      ...shares,
    ];
  },
};

/** Milliseconds that Postgres takes to put next to nothing on disk: no answer can come earlier. Sorted. */
async function timeCommits(database: Stage['database']): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < 500; n++) {
    const start = performance.now();
    await database.query(`SELECT pg_logical_emit_message(true, 'bench', 'a message')`);
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b);
}

function message(requestId: string, key: string): { text: string; id: string } {
  const id = randomUUID();
  const body = { role: 'provider', plaintext: 'Yes, it is stale.', messageId: id };
  const path = `/api/v1/message/${requestId}`;
  return { id, text: httpText('POST', path, { headers: { 'x-api-key': key }, body }) };
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

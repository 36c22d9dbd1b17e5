import { roundTitle } from '../measure/compare.ts';
import { quantile, spreadOf } from '../measure/spread.ts';
import type { Line } from '../measure/table.ts';
import { signAsGateway } from '../requests/http-request.ts';
import { seedInbox } from '../requests/seed.ts';
import type { Row } from './row.ts';

const count = 50_000;
const samples = 40;
/** Milliseconds, for the 95th percentile. */
const goals = { list: 20, search: 200 };

const lists = {
  'no filter': '',
  waiting: 'filter=waiting',
  answered: 'filter=answered',
  ended: 'filter=ended',
  pending: 'status=pending',
  responded: 'status=responded',
  closed: 'status=closed',
  expired: 'status=expired',
};
const searches = {
  'a search with no hit': 'q=nowhere',
  'a search with no hit in waiting': 'q=nowhere&filter=waiting',
};

/** The lists of an expert with 50,000 requests, compared with the bare statement for the newest 50. */
export const inbox: Row = {
  name: 'inbox',
  onlyByName: true,
  async measure(environment, { progress, rounds }) {
    const { database, user, gatewayKeys } = environment;
    const { port } = await environment.service('requests');
    progress(`${count.toLocaleString('en')} requests`);
    await seedInbox(database, user.userId, count);
    const sign = await signAsGateway('requests', gatewayKeys.requests, {
      kind: 'provider',
      userId: user.userId,
      apiKeyId: crypto.randomUUID(),
    });
    const times = new Map<string, number[]>();
    const measureTime = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      const result = await work();
      times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
      return result;
    };
    const get = async (query: string): Promise<{ next?: string }> => {
      const path = `/api/v1/requests${query && `?${query}`}`;
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: sign('GET', path) });
      if (!answer.ok) throw new Error(`${query}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as { next?: string };
    };
    const all = Object.entries({ ...lists, ...searches });

    for (let round = 0; round <= rounds; round++) {
      progress(roundTitle(round, rounds));
      for (let sample = 0; sample < (round === 0 ? 3 : samples); sample++) {
        await measureTime(baseline, () => database.query(newest, [user.userId]));
        for (const [name, query] of all) await measureTime(name, () => get(query));
      }
      for (const [name, query] of [
        ['every page', ''],
        ['every page of ended', 'filter=ended&'],
      ] as const) {
        for (let after = ''; ; ) {
          const { next } = await measureTime(name, () => get(`${query}limit=200${after}`));
          if (next === undefined) break;
          after = `&after=${next}`;
        }
      }
      if (round === 0) times.clear();
    }
    return [...times].map(([name, own]) => toLine(name, own, spreadOf(times.get(baseline) ?? []).median));
  },
};

const baseline = 'the bare statement';
const newest = `
  SELECT id, ref_code, status, response_count, created_at, expires_at, question FROM help_requests
  WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 51`;

function toLine(name: string, times: readonly number[], base: number): Line {
  const { median } = spreadOf(times);
  const p95 = quantile(times, 0.95);
  const goal = name === baseline ? undefined : name in searches ? goals.search : goals.list;
  const reached = goal === undefined ? '' : `, goal ${goal} ms ${p95 <= goal ? 'met' : 'MISSED'}`;
  return {
    title: `inbox: ${name}`,
    note: `median ${median.toFixed(1)} ms, ${(median / base).toFixed(1)} times the bare statement, p95 ${p95.toFixed(1)} ms${reached}`,
  };
}

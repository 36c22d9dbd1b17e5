import { randomInt, randomUUID } from 'node:crypto';
import {
  makeRefCode,
  makeRequestId,
  moveExpired,
  type Party,
  type RequestStatus,
  raw,
  sql,
} from '@expert-relay/db';
import { type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { createLog } from '@expert-relay/kit/log';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { countRequests } from '../routes/count-requests.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import type { Filter } from './filter.ts';
import { type Listing, readPage } from './read-page.ts';

let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

async function newUser() {
  const { id: userId } = await database.prisma.user.create({ data: { name: 'ada' } });
  const keys = await Promise.all(
    ['one', 'two'].map((name) =>
      database.prisma.apiKey.create({
        data: { userId, kind: 'consumer', name, lastFour: 'abcd', callId: randomUUID() },
      }),
    ),
  );
  const session: Party = { kind: 'session', userId, sessionId: randomUUID() };
  const consumers = keys.map(({ id: apiKeyId }): Party => ({ kind: 'consumer', userId, apiKeyId }));
  return { userId, keyIds: keys.map(({ id }) => id), session, consumers };
}
type User = Awaited<ReturnType<typeof newUser>>;

const kinds = {
  unanswered: { status: 'pending', filter: 'waiting' },
  asked: { status: 'pending', filter: 'waiting' },
  followUp: { status: 'responded', filter: 'waiting' },
  answered: { status: 'responded', filter: 'answered' },
  overdue: { status: 'expired', filter: 'ended' },
  overdueAnswered: { status: 'expired', filter: 'ended' },
  expired: { status: 'expired', filter: 'ended' },
  closed: { status: 'closed', filter: 'ended' },
  closedAnswered: { status: 'closed', filter: 'ended' },
  erased: { status: 'closed', filter: 'ended' },
  erasedExpired: { status: 'expired', filter: 'ended' },
} as const;
type Kind = keyof typeof kinds;

/** What happened to requests of each kind, oldest first, as statements for all of them at once. */
const steps: readonly (readonly [readonly Kind[], string])[] = [
  [['asked'], message('consumer')],
  [['followUp', 'answered', 'overdueAnswered', 'closedAnswered', 'erasedExpired'], message('provider')],
  [['followUp'], message('consumer')],
  [['overdue', 'overdueAnswered', 'expired', 'erasedExpired'], `expires_at = now() - interval '1 second'`],
  [['expired', 'erasedExpired'], `status = 'expired', ended_at = expires_at`],
  [['closed', 'closedAnswered', 'erased'], `status = 'closed', ended_at = now()`],
  [['erased', 'erasedExpired'], 'erased_at = now(), question = NULL'],
];

function message(role: 'consumer' | 'provider'): string {
  const counts = `message_count = message_count + 1, last_message_at = clock_timestamp(), last_message_role = '${role}'`;
  return role === 'provider'
    ? `${counts}, status = 'responded', response_count = response_count + 1`
    : counts;
}

interface Made {
  id: string;
  keyId: string;
  kind: Kind;
  createdAt: number;
  question: string;
}

/** Requests of these kinds; several were made in the same millisecond. */
async function seed({ userId, keyIds }: User, some: readonly Kind[]): Promise<Made[]> {
  const begin = Date.now() - 60_000;
  const made = some.map((kind, index): Made => {
    const keyId = keyIds[randomInt(keyIds.length)] ?? '';
    const question = `${['Which', 'what'][randomInt(2)]} ${kind}?`;
    return { id: makeRequestId(), keyId, kind, createdAt: begin + Math.floor(index / 3), question };
  });
  await database.query`
    INSERT INTO help_requests (
      id, ref_code, user_id, consumer_key_id, context, call_id, created_at, expires_at, question)
    SELECT id, ref_code, ${userId}::uuid, key_id, '[]', gen_random_uuid(), created_at, now() + interval '1 day', question
    FROM unnest(
      ${made.map(({ id }) => id)}::text[], ${made.map(makeRefCode)}::text[], ${made.map(({ keyId }) => keyId)}::uuid[],
      ${made.map(({ createdAt }) => new Date(createdAt).toISOString())}::timestamptz[],
      ${made.map(({ question }) => question)}::text[]) AS row (id, ref_code, key_id, created_at, question)`;
  for (const [changed, change] of steps) {
    const ids = made.filter(({ kind }) => changed.includes(kind)).map(({ id }) => id);
    // An expiry moves its rows of `request_stages` itself.
    await database.query`
      WITH ended AS (
        UPDATE help_requests SET ${raw(change)} WHERE id = ANY(${ids}::text[])
        RETURNING id AS request_id, expires_at, status)
      ${change.includes(`'expired'`) ? moveExpired : sql`SELECT`}`;
  }
  return made.sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1));
}

/** All that a list holds, read page by page. */
async function readAll(
  party: Party,
  listing: Omit<Listing, 'after' | 'limit'>,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: Listing['after']; ; ) {
    const rows = await readPage(database.query, party, { ...listing, limit, ...(after && { after }) });
    ids.push(...rows.slice(0, limit).map(({ id }) => id));
    const last = rows[limit - 1];
    if (rows.length <= limit || !last) return ids;
    after = parseCursor(formatCursor(last));
  }
}

const filters: readonly Filter[] = [
  {},
  ...(['waiting', 'answered', 'ended'] as const).map((filter) => ({ filter })),
  ...(['pending', 'responded', 'closed', 'expired'] as const).map((status) => ({ status: [status] })),
  { status: ['pending', 'responded'] },
  { status: ['closed', 'expired'] },
  { status: ['pending', 'pending', 'closed'] },
  { filter: 'waiting', status: ['responded', 'closed'] },
  { filter: 'answered', status: ['pending', 'expired'] },
];
const passes = ({ filter, status }: Filter, kind: Kind): boolean =>
  (!filter || kinds[kind].filter === filter) &&
  (!status || (status as readonly RequestStatus[]).includes(kinds[kind].status));

describe('a list', () => {
  test.each(filters)('holds what passes its filter, in order, each request once: %j', async (filter) => {
    const user = await newUser();
    const other = await newUser();
    const all = Object.keys(kinds) as Kind[];
    const made = await seed(
      user,
      Array.from({ length: 60 }, () => all[randomInt(all.length)] ?? 'closed'),
    );
    await seed(other, all);
    for (const party of [user.session, ...user.consumers]) {
      for (const q of [undefined, 'WHICH']) {
        const expected = made.filter(
          ({ kind, keyId, question }) =>
            passes(filter, kind) &&
            (party.kind !== 'consumer' || party.apiKeyId === keyId) &&
            (!q || (question.startsWith('Which') && !kind.startsWith('erased'))),
        );
        const ids = await readAll(party, { ...filter, ...(q && { q }) }, 7);
        expect(ids).toEqual(expected.map(({ id }) => id));
      }
    }
  });

  test('and its counts agree, up to 999', async () => {
    const user = await newUser();
    const counts = async () => {
      const { body } = await countRequests({ ...database, ...unused }).handle({
        principal: user.session,
        ...{ callId: randomUUID(), params: {}, headers: {}, query: new URLSearchParams(), body: undefined },
      } as never);
      return body;
    };
    await seed(user, [
      ...Array<Kind>(500).fill('closed'),
      ...Array<Kind>(499).fill('overdue'),
      ...Array<Kind>(999).fill('answered'),
      ...(['unanswered', 'asked', 'followUp'] as const),
    ]);
    expect(await counts()).toEqual({
      filters: { waiting: 3, answered: 999, ended: 999 },
      statuses: { pending: 2, responded: '999+', closed: 500, expired: 499 },
    });
    await seed(user, ['erased', 'answered']);
    expect(await counts()).toMatchObject({ filters: { answered: '999+', ended: '999+' } });
  });

  test('finds no more in a long question than it shows', async () => {
    const user = await newUser();
    const [{ id } = { id: '' }] = await seed(user, ['answered']);
    const question = `${'é'.repeat(1_990)} the end, beyond`;
    await database.query`UPDATE help_requests SET question = ${question} WHERE id = ${id}`;
    const find = (q: string) => readAll(user.session, { q }, 10);
    expect(await find('THE END')).toEqual([id]);
    expect(await find('beyond')).toEqual([]);
  });
});

const unused = {
  log: createLog('test', { level: 'silent' }),
  wakeOutbox: () => {},
  signStreamToken: async () => ({}) as never,
  conversationTtl: 0,
};

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
  const session: Party = { kind: 'session', userId, sessionId: randomUUID(), begunAt: 0, endsAt: 0 };
  const secret = { createdAt: 0 };
  const consumers = keys.map(({ id: apiKeyId }): Party => ({ kind: 'consumer', userId, apiKeyId, secret }));
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

/** Some requests get the same time. */
const recently = `now() - ceil(random() * 20) * interval '100 milliseconds'`;

/** The changes of requests of each kind, in order. Each is one statement for all requests of its kinds. */
const steps: readonly (readonly [readonly Kind[], string])[] = [
  [['asked'], message('consumer')],
  [['followUp', 'answered', 'overdueAnswered', 'closedAnswered', 'erasedExpired'], message('provider')],
  [['followUp'], message('consumer')],
  [['overdue', 'overdueAnswered', 'expired', 'erasedExpired'], `expires_at = ${recently}`],
  [['expired', 'erasedExpired'], `status = 'expired', ended_at = expires_at`],
  [['closed', 'closedAnswered', 'erased'], `status = 'closed', ended_at = ${recently}`],
  [['erased', 'erasedExpired'], 'erased_at = now(), question = NULL'],
];

function message(role: 'consumer' | 'provider'): string {
  const counts = `message_count = message_count + 1, last_message_at = ${recently}, turn = '${role === 'provider' ? 'consumer' : 'provider'}'`;
  return role === 'provider'
    ? `${counts}, status = 'responded', response_count = response_count + 1`
    : counts;
}

interface InsertedRequest {
  id: string;
  keyId: string;
  kind: Kind;
  createdAt: number;
  question: string;
  tag: string;
  lastActivityAt: string;
}

/** Inserts requests of these kinds. Several have the same time of creation. Returns them by their creation, the newest first. */
async function insertRequests(
  { userId, keyIds }: User,
  requestKinds: readonly Kind[],
): Promise<InsertedRequest[]> {
  const begin = Date.now() - 60_000;
  const inserted = requestKinds.map((kind, index): InsertedRequest => {
    const keyId = keyIds[randomInt(keyIds.length)] ?? '';
    const question = `${['Which', 'what'][randomInt(2)]} ${kind}?`;
    return {
      id: makeRequestId(),
      keyId,
      kind,
      createdAt: begin + Math.floor(index / 3),
      question,
      tag: ['red', 'dark red'][randomInt(2)] ?? '',
      lastActivityAt: '',
    };
  });
  await database.query`
    INSERT INTO help_requests (
      id, ref_code, user_id, consumer_key_id, context, call_id, created_at, expires_at, question, tags)
    SELECT id, ref_code, ${userId}::uuid, key_id, '[]', gen_random_uuid(), created_at, now() + interval '1 day', question,
      ARRAY['any', tag]
    FROM unnest(
      ${inserted.map(({ id }) => id)}::text[], ${inserted.map(makeRefCode)}::text[], ${inserted.map(({ keyId }) => keyId)}::uuid[],
      ${inserted.map(({ createdAt }) => new Date(createdAt).toISOString())}::timestamptz[],
      ${inserted.map(({ question }) => question)}::text[], ${inserted.map(({ tag }) => tag)}::text[])
      AS row (id, ref_code, key_id, created_at, question, tag)`;
  for (const [changed, change] of steps) {
    const ids = inserted.filter(({ kind }) => changed.includes(kind)).map(({ id }) => id);
    // A statement that expires requests must also move their rows of `request_stages`.
    await database.query`
      WITH ended AS (
        UPDATE help_requests SET ${raw(change)} WHERE id = ANY(${ids}::text[])
        RETURNING id AS request_id, expires_at, status)
      ${change.includes(`'expired'`) ? moveExpired : sql`SELECT`}`;
  }
  const stored = await database.prisma.helpRequest.findMany({ where: { userId } });
  for (const { id, status, createdAt, lastMessageAt, endedAt, expiresAt } of stored) {
    const request = inserted.find((one) => one.id === id);
    const hasEnded = status === 'closed' || expiresAt.getTime() <= Date.now();
    const time = hasEnded ? (endedAt ?? expiresAt) : (lastMessageAt ?? createdAt);
    if (request) request.lastActivityAt = time.toISOString();
  }
  return inserted.sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1));
}

const byActivity = (one: InsertedRequest, other: InsertedRequest): number =>
  other.lastActivityAt.localeCompare(one.lastActivityAt) || (one.id < other.id ? 1 : -1);

/** The ids of a list with the times of their last activity, read page by page. */
async function readAll(
  party: Party,
  listing: Omit<Listing, 'after' | 'limit'>,
  limit: number,
): Promise<string[]> {
  const all: string[] = [];
  for (let after: Listing['after']; ; ) {
    const { rows, end } = await readPage(database.query, party, {
      ...listing,
      limit,
      ...(after && { after }),
    });
    expect(rows.length).toBeLessThanOrEqual(limit);
    all.push(...rows.map(({ id, lastActivityAt }) => `${id} ${lastActivityAt}`));
    if (!end) return all;
    after = end;
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
const matches = ({ filter, status }: Filter, kind: Kind): boolean =>
  (!filter || kinds[kind].filter === filter) &&
  (!status || (status as readonly RequestStatus[]).includes(kinds[kind].status));

describe('a list', () => {
  test.each(filters)(
    'contains the requests that match its filter, in order, each once: %j',
    async (filter) => {
      const user = await newUser();
      const other = await newUser();
      const all = Object.keys(kinds) as Kind[];
      const inserted = await insertRequests(
        user,
        Array.from({ length: 60 }, () => all[randomInt(all.length)] ?? 'closed'),
      );
      await insertRequests(other, all);
      const [keyId] = user.keyIds;
      const facets = [{}, { keyId }, { tag: 'red' }, { keyId, tag: 'red' }, { keyId: other.keyIds[0] }];
      for (const party of [user.session, ...user.consumers]) {
        for (const [q, content] of [[undefined], [undefined, true], ['WHICH'], ['WHICH', true]] as const) {
          for (const facet of facets) {
            const expected = inserted.filter(
              ({ kind, keyId, question, tag }) =>
                matches(filter, kind) &&
                (party.kind !== 'consumer' || party.apiKeyId === keyId) &&
                (!facet.keyId || facet.keyId === keyId) &&
                (!facet.tag || facet.tag === tag) &&
                (!q || (question.startsWith('Which') && !kind.startsWith('erased'))),
            );
            if (party.kind !== 'consumer' && !q) expected.sort(byActivity);
            const listed = await readAll(party, { ...filter, ...facet, q, content }, 7);
            expect(listed).toEqual(expected.map(({ id, lastActivityAt }) => `${id} ${lastActivityAt}`));
          }
        }
      }
    },
  );

  test('has the same requests as the counts, up to 999', async () => {
    const user = await newUser();
    const counts = async (facets = {}) => {
      const { body } = await countRequests({ ...database, ...unused }).handle({
        principal: user.session,
        callId: randomUUID(),
        params: {},
        headers: {},
        query: new URLSearchParams(facets),
        body: undefined,
      } as never);
      return body as { filters: Record<'waiting' | 'answered' | 'ended', number | string> };
    };
    await insertRequests(user, [
      ...Array<Kind>(500).fill('closed'),
      ...Array<Kind>(499).fill('overdue'),
      ...Array<Kind>(999).fill('answered'),
      ...(['unanswered', 'asked', 'followUp'] as const),
    ]);
    expect(await counts()).toEqual({
      filters: { waiting: 3, answered: 999, ended: 999 },
      statuses: { pending: 2, responded: '999+', closed: 500, expired: 499 },
      snoozed: 0,
    });
    const [keyId = ''] = user.keyIds;
    const facets = { keyId, tag: 'red' };
    const { filters } = await counts(facets);
    for (const filter of ['waiting', 'answered', 'ended'] as const)
      expect(await readAll(user.session, { filter, ...facets }, 200)).toHaveLength(Number(filters[filter]));
    await insertRequests(user, ['erased', 'answered']);
    expect(await counts()).toMatchObject({ filters: { answered: '999+', ended: '999+' } });
  });

  test('of many open requests has the newest first, for an agent and in a search', async () => {
    const user = await newUser();
    const inserted = await insertRequests(user, [
      ...(['answered', 'closed', 'overdueAnswered', 'answered'] as const),
      ...Array<Kind>(1_001).fill('unanswered'),
    ]);
    const answered = inserted.filter(({ kind }) => kind === 'answered');
    const lines = (requests: readonly InsertedRequest[]) =>
      requests.map(({ id, lastActivityAt }) => `${id} ${lastActivityAt}`);
    expect(await readAll(user.session, { filter: 'answered', q: 'answered' }, 1)).toEqual(lines(answered));
    for (const party of user.consumers) {
      const own = answered.filter(({ keyId }) => party.kind === 'consumer' && keyId === party.apiKeyId);
      expect(await readAll(party, { filter: 'answered' }, 1)).toEqual(lines(own));
    }
  });

  test('finds a request by its code, or by the beginning of it', async () => {
    const user = await newUser();
    const [{ id, lastActivityAt } = { id: '' }] = await insertRequests(user, ['answered', 'answered']);
    await database.query`
      UPDATE help_requests SET ref_code = CASE id WHEN ${id} THEN '7K3M9QXA' ELSE '8K3M9QXA' END
      WHERE user_id = ${user.userId}::uuid`;
    for (const q of ['HS-7K3M9QXA', '7k3m9qxa', 'HS-7K3M', '7K3M', ' hs-7k3'])
      expect(await readAll(user.session, { q }, 10)).toEqual([`${id} ${lastActivityAt}`]);
    for (const q of ['K3M9', 'HS-7K3N', '7K3', '%K3M', '7K3M9QXA0'])
      expect(await readAll(user.session, { q }, 10)).toEqual([]);
  });

  test('searches the part of a long question that it shows', async () => {
    const user = await newUser();
    const [{ id, lastActivityAt } = { id: '' }] = await insertRequests(user, ['answered']);
    const question = `${'é'.repeat(1_990)} the end, beyond`;
    await database.query`UPDATE help_requests SET question = ${question} WHERE id = ${id}`;
    const find = (q: string) => readAll(user.session, { q }, 10);
    expect(await find('THE END')).toEqual([`${id} ${lastActivityAt}`]);
    expect(await find('beyond')).toEqual([]);
  });
});

const unused = {
  log: createLog('test', { level: 'silent' }),
  wakeOutbox: () => {},
  noteKeyUse: () => {},
  signStreamToken: async () => ({}) as never,
  conversationTtl: 0,
};

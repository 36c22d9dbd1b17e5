import { decodeEvent, EndReason, EventHead, requestClosedPayload } from '@expert-relay/contracts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectOnce } from '../postgres/connect.ts';
import { sql } from '../postgres/sql.ts';
import { makeRefCode } from '../request/ref-code.ts';
import { makeRequestId } from '../request/request-id.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { insertSharedEvent } from './insert-shared-event.ts';
import { sealRow } from './seal-row.ts';
import { selectWaiting } from './waiting-rows.ts';

let database: TestDatabase;
let client: Awaited<ReturnType<typeof connectOnce>>;

beforeAll(async () => {
  database = await createTestDatabase(process.env.DATABASE_URL ?? '');
  client = await connectOnce(database.url);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const userIds = Array.from({ length: 3 }, () => crypto.randomUUID());
const place = (index: number, seq: number) => ({
  userId: userIds[index % userIds.length] ?? '',
  requestId: makeRequestId(),
  refCode: `HS-${makeRefCode()}`,
  seq,
});

/** Has Postgres tell of them; gives how the leader would publish that. */
async function tell(places: readonly ReturnType<typeof place>[]): Promise<EventHead[]> {
  await client.query('TRUNCATE outbox_events');
  const { text, values } = sql`
    WITH told AS (${insertSharedEvent({
      type: 'request_closed',
      payload: requestClosedPayload({ reason: 'expired' }),
      from: sql`
        SELECT (place ->> 'userId')::uuid AS user_id, place ->> 'requestId' AS request_id,
          substr(place ->> 'refCode', 4) AS ref_code, (place ->> 'seq')::int AS seq
        FROM json_array_elements(${JSON.stringify(places)}::json) AS place`,
    })})
    SELECT 1`;
  await client.query(text, values);
  const { rows } = await selectWaiting(client, 0);
  return rows.map((row) => {
    const sealed = sealRow(row);
    const { event, requests } = decodeEvent(sealed);
    expect(event).toMatchObject({ case: 'requestClosed', value: { reason: EndReason.EXPIRED } });
    const head = new EventHead(sealed);
    expect(requests).toMatchObject(
      head.requests.map((request) => ({ ...request, seq: BigInt(request.seq) })),
    );
    expect(head).toMatchObject({
      eventId: row.id,
      type: 'request_closed',
      userId: '',
      requestId: '',
      seq: 0,
    });
    return head;
  });
}

test.each([
  [1, [1]],
  [250, [250]],
  [251, [250, 1]],
  [600, [250, 250, 100]],
])('%i requests are told of in order, each once', async (count, sizes) => {
  const places = Array.from({ length: count }, (_, index) => place(index, index + 1));
  const heads = await tell(places);
  expect(heads.map(({ requests }) => requests.length)).toEqual(sizes);
  expect(heads.flatMap(({ requests }) => requests)).toEqual(places);
});

test.each([0, 1, 127, 128, 10_003, 16_383, 16_384, 2_097_151])(
  'a place of %i is read as that',
  async (seq) => {
    const places = [place(0, seq), place(1, seq)];
    const [head] = await tell(places);
    expect(head?.requests).toEqual(places);
  },
);

test('of nothing nothing is told', async () => {
  expect(await tell([])).toEqual([]);
});

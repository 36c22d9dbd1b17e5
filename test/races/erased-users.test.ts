import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { createResources, credentialOf, endpointCall } from '../conformance/endpoint-call.ts';
import { callersOf, type Endpoint, endpoints } from '../conformance/endpoints.ts';

/*
 * For up to five seconds, gateway and dashboard accept the keys and sessions of a user who was erased, if the event of it does not
 * arrive. Here it never does, since the row is deleted behind their back.
 */

let relay: Awaited<ReturnType<typeof openOwnRelay>>;
let database: pg.Client;

beforeAll(async () => {
  relay = await openOwnRelay();
  database = new pg.Client(relay.constellation.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await relay.stop();
});

/** One call of each form of statement: a row that names the user, the key or the request; a change, an end, a read. */
const forms = [
  ...['POST /api/v1/help', 'POST /api/v1/webhooks', 'PUT /api/v1/vault', 'POST /api/keys'],
  ...['POST /api/notifications/channels', 'PUT /api/notifications', 'POST /api/v1/stream-token'],
  ...['POST /api/v1/message/:requestId', 'POST /api/v1/key-exchange/:requestId'],
  ...['POST /api/v1/close/:requestId', 'PUT /api/keys/:keyId', 'POST /api/keys/:keyId/rotate'],
  ...['DELETE /api/keys/:keyId', 'DELETE /api/sessions', 'GET /api/v1/requests', 'GET /api/v1/whoami'],
];
const calls = forms.map((form) => {
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === form) as Endpoint;
  const [caller = 'consumer'] = callersOf(endpoint);
  return [`${form} of a ${caller}`, endpoint, caller] as const;
});

describe.each([
  ['before the call', false],
  ['while the call runs', true],
])('a user who was erased %s', (_, isDuringCall) => {
  test.each(calls)('%s gets a response, and no 500', async (_, endpoint, caller) => {
    const expert = await relay.signUp('erased');
    const call = endpointCall(endpoint, await createResources(expert), credentialOf(expert, caller), {
      as: caller,
    });
    await database.query('BEGIN');
    let hasResponse = false;
    try {
      await database.query('DELETE FROM users WHERE id = $1', [expert.userId]);
      if (!isDuringCall) await database.query('COMMIT');
      // It throws for a 500, and for a response that docs/openapi.yaml does not have.
      const answered = relay.call(call).finally(() => {
        hasResponse = true;
      });
      await eventually(
        'the call waits for the erasure',
        async () => hasResponse || (isDuringCall && (await isWaiting())),
      );
      if (isDuringCall) await database.query('COMMIT');
      const { status } = await answered;
      expect(status).toBeLessThan(500);
      if (needsUser(endpoint))
        expect(isDuringCall && endpoint.path.endsWith('/whoami') ? [200, 401] : [401]).toContain(status);
    } finally {
      await database.query('ROLLBACK');
    }
  });
});

/** Their rows name the user or the user's key, or their response does. */
const needsUser = ({ method, path }: Endpoint): boolean =>
  path.endsWith('/whoami') || (method === 'POST' && /\/(help|keys|webhooks|channels)$/.test(path));

async function isWaiting(): Promise<boolean> {
  const { rowCount } = await database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount !== 0;
}

test('a submit with an idempotency key of a user who was erased before is 401', async () => {
  const { consumer, userId } = await relay.signUp('erased');
  await database.query('DELETE FROM users WHERE id = $1', [userId]);
  expect((await consumer.submit({}, { 'idempotency-key': crypto.randomUUID() })).status).toBe(401);
});

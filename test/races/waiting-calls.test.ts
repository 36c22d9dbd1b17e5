import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { ask, providerKeys, submit, textMessage, times } from './ask.ts';

let relay: Constellation;
let database: pg.Client;
/** Holds a lock. Within its transaction, it would always see the same activity. */
let holder: pg.Client;

beforeAll(async () => {
  relay = await startConstellation();
  [database, holder] = [new pg.Client(relay.databaseUrl), new pg.Client(relay.databaseUrl)];
  await Promise.all([database.connect(), holder.connect()]);
});
afterAll(async () => {
  await Promise.all([database.end(), holder.end()]);
  await relay.stop();
});

async function waiting(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
}

test('calls that wait for a row of their user leave connections to Postgres to other users', async () => {
  const [ada, bob] = [await relay.makeTenant(), await relay.makeTenant()];
  const [ofAda, ofBob] = [await submit(relay, ada), await submit(relay, bob)];
  const send = (requestId: string, key: string) =>
    ask(relay, 'POST', `/api/v1/message/${requestId}`, { key, body: textMessage('provider') });

  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM help_requests WHERE id = $1 FOR UPDATE', [ofAda]);
  const sent = times(40, () => send(ofAda, ada.providerKey));
  await eventually('calls wait for the row', async () => (await waiting()) >= 8);
  const response = await fetch(`${relay.gatewayUrl}/api/v1/message/${ofBob}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': bob.providerKey },
    body: JSON.stringify(textMessage('provider')),
  });
  expect(response.status).toBe(201);
  await holder.query('ROLLBACK');
  await sent;
});

test.each([
  ['a message', 'message', () => textMessage('provider')],
  ['a key exchange', 'key-exchange', providerKeys],
  ['a close', 'close', () => ({})],
])('%s that waits for the row until the conversation has expired is refused', async (_, path, makeBody) => {
  const tenant = await relay.makeTenant();
  const requestId = await submit(relay, tenant);
  await database.query(
    `UPDATE help_requests SET expires_at = clock_timestamp() + interval '3 seconds' WHERE id = $1`,
    [requestId],
  );
  const isOver = async () => {
    const { rows } = await database.query<{ over: boolean }>(
      'SELECT expires_at <= clock_timestamp() AS over FROM help_requests WHERE id = $1',
      [requestId],
    );
    return rows[0]?.over ?? false;
  };

  // The holder changes nothing: Postgres does not compute the waiting statement's columns again.
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM help_requests WHERE id = $1 FOR UPDATE', [requestId]);
  const call = ask(relay, 'POST', `/api/v1/${path}/${requestId}`, {
    key: tenant.providerKey,
    body: makeBody(),
  });
  await eventually('the call waits for the row', async () => (await waiting()) === 1);
  await eventually('the conversation is over', isOver);
  await holder.query('ROLLBACK');
  expect(await call).toMatchObject({ status: 409, body: { error: 'conversation_expired' } });
});

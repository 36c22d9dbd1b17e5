import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Caller } from '../black-box/caller.ts';
import { checkResponse } from '../black-box/check-response.ts';
import { sendCall } from '../black-box/http-call.ts';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { useRelay } from '../black-box/use-relay.ts';

const setup = useRelay(openOwnRelay);
const agent = new Agent();
const open: IncomingMessage[] = [];
let requestId = '';

beforeAll(async () => {
  ({ requestId } = await setup.alice.consumer.newRequest());
  // 58 MB: more than the socket buffers between the messages service and a client that does not read. Linux may let one
  // receive buffer grow to 32 MB (`tcp_rmem`).
  const message = { role: 'provider', plaintext: 'x'.repeat(1_000_000) };
  for (let count = 0; count < 58; count++) {
    const { status } = await setup.alice.provider.post(`/api/v1/message/${requestId}`, message);
    expect(status).toBe(201);
  }
});
afterEach(() => {
  for (const response of open) response.destroy();
});
afterAll(() => agent.destroy());

/** Requests the list and does not read the response. */
async function openList(caller: Caller): Promise<number | undefined> {
  const call = get(`${setup.relay.url}/api/v1/messages/${requestId}`, {
    headers: caller.headers,
    agent: false,
  });
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  open.push(response);
  return response.statusCode;
}

test('a user receives sixteen long lists at the same time, and the next one is 429, as documented', async () => {
  const { consumer, provider } = setup.alice;
  for (let count = 0; count < 12; count++) expect(await openList(consumer)).toBe(200);
  const path = `/api/v1/messages/${requestId}`;
  const call = { method: 'GET', path, headers: consumer.headers };
  const refused = await sendCall(setup.relay.url, call, agent);
  expect(checkResponse(call, refused)).toEqual([]);
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
  expect(refused.json.error).toBe('too_many_at_once');
  // The expert still receives four. Further keys of the user receive none, and a short list is not limited.
  for (let count = 0; count < 4; count++) expect(await openList(provider)).toBe(200);
  expect(await openList(provider)).toBe(429);
  expect(await openList(await setup.alice.newKey('provider'))).toBe(429);
  expect((await consumer.get(`${path}?after=999`)).status).toBe(200);

  for (const response of open.splice(0)) response.destroy();
  const isFree = async () => (await openList(consumer)) === 200;
  await eventually('another long list is accepted', isFree);
});

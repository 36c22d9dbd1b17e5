import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { makeToken, startTestHub, type TestHub } from '../testing/test-hub.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let stream: TestStream;
let hub: TestHub;

beforeAll(async () => {
  stream = await openTestStream();
  hub = await startTestHub({ prefix: stream.prefix });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await stream[Symbol.asyncDispose]();
});

test("each event arrives on its topic with exactly the contract's members, and on the activity topic with more", async () => {
  const request = new RequestEvents();
  const { requestId, refCode, topic, providerTopic, activityTopic } = request;
  const token = await makeToken([providerTopic, activityTopic]);
  const headers = { authorization: `Bearer ${token}` };
  const readers = {
    provider: await new Reader(hub.url, [providerTopic], { headers }).opened(),
    activity: await new Reader(hub.url, [activityTopic], { headers }).opened(),
    request: await new Reader(hub.url, [topic]).opened(),
  };
  const messageId = '0b6f4d4e-2f8c-4c0e-9a3e-3d1d3a4b5c6d';
  await stream.publish(
    request.newRequest('Why "that"?\nReally: why?'),
    request.keyExchange(),
    request.newMessage(messageId, 'consumer'),
    request.closed('expired'),
  );
  await readers.activity.count(4);
  await readers.request.count(3);

  const question = 'Why "that"?\nReally: why?';
  expect(readers.provider.events).toEqual([{ type: 'new_request', refCode, question }]);
  expect(readers.request.events).toEqual([
    { type: 'key_exchange', refCode },
    { type: 'new_message', role: 'consumer', messageId },
    { type: 'request_closed', refCode },
  ]);
  expect(readers.activity.events).toEqual([
    { type: 'new_request', refCode, question, requestId },
    { type: 'key_exchange', refCode, requestId },
    { type: 'new_message', role: 'consumer', messageId, requestId },
    { type: 'request_closed', refCode, requestId, reason: 'expired' },
  ]);
  for (const reader of Object.values(readers)) reader.close();
});

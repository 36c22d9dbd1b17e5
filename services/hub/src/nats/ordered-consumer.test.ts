import { subjectsFor } from '@expert-relay/contracts';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';
import { type Consumer, openConsumer } from './ordered-consumer.ts';

const messages = 1_600;
const batch = 500;
let stream: TestStream;

beforeAll(async () => {
  stream = await openTestStream();
  const { name, prefix, connection, manager } = stream;
  const subject = subjectsFor(prefix).event('new_message');
  for (let number = 0; number < messages; number++) connection.publish(subject, String(number));
  await eventually(
    'the messages',
    async () => (await manager.streams.info(name)).state.messages === messages,
  );
});
afterAll(async () => {
  await stream[Symbol.asyncDispose]();
});

function open(isYielding: boolean): Promise<Consumer> {
  const { connection, manager, name } = stream;
  return openConsumer({
    connection,
    manager,
    stream: name,
    from: 1,
    isYielding: () => isYielding,
  });
}

test.each([
  ['requests the next batch before the last one has arrived completely', false, [2, 3]],
  ['pauses after each batch while it yields', true, [1, 2]],
])('a consumer %s', async (_, isYielding, expectedRequests) => {
  const publish = jest.spyOn(stream.connection, 'publish');
  const requests = () =>
    publish.mock.calls.filter(([subject]) => subject.includes('CONSUMER.MSG.NEXT')).length;
  const consumer = await open(isYielding);
  const seqs: number[] = [];
  const requestsAfterBatch: number[] = [];
  await new Promise<void>((resolve) => {
    consumer.start(({ sequence }) => {
      seqs.push(sequence);
      if (sequence % batch === 0) requestsAfterBatch.push(requests());
      if (seqs.length === messages) resolve();
    });
  });
  consumer.end('read');
  publish.mockRestore();
  expect(seqs).toEqual(Array.from({ length: messages }, (_value, index) => index + 1));
  expect(requestsAfterBatch.slice(0, 2)).toEqual(expectedRequests);
});

test('a consumer that has ended is not started: no timer is left', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const consumer = await open(false);
  consumer.end('read');
  const before = timers();
  consumer.start(() => {});
  expect(timers()).toBe(before);
});

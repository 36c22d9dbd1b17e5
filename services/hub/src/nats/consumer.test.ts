import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';
import { openConsumer } from './consumer.ts';

const events = 1_600;
const batch = 500;
let stream: TestStream;

beforeAll(async () => {
  stream = await openTestStream();
  const request = new RequestEvents();
  await stream.publish(...Array.from({ length: events }, () => request.newMessage()));
});
afterAll(async () => {
  await stream[Symbol.asyncDispose]();
});

test.each([
  ['asks for the next batch before it has the whole last one', false, [2, 3]],
  ['rests after each batch while it yields', true, [1, 2]],
])('a consumer %s', async (_, isYielding, expectedAsks) => {
  const { connection, manager, name } = stream;
  const publish = jest.spyOn(connection, 'publish');
  const asks = () => publish.mock.calls.filter(([subject]) => subject.includes('CONSUMER.MSG.NEXT')).length;
  const consumer = await openConsumer({
    connection,
    manager,
    stream: name,
    from: { seq: 1 },
    isYielding: () => isYielding,
  });
  const seqs: number[] = [];
  const asksAfterBatch: number[] = [];
  await new Promise<void>((resolve) => {
    consumer.start(({ seq }) => {
      seqs.push(seq);
      if (seq % batch === 0) asksAfterBatch.push(asks());
      if (seqs.length === events) resolve();
    });
  });
  consumer.end('read');
  publish.mockRestore();
  expect(seqs).toEqual(Array.from({ length: events }, (_value, index) => index + 1));
  expect(asksAfterBatch.slice(0, 2)).toEqual(expectedAsks);
});

import { createMetrics } from '@expert-relay/kit/metrics';
import { captureLogs, eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createNotifierMetrics } from '../notifier-metrics.ts';
import { silent } from '../testing/test-database.ts';
import { Deliverer, type DeliveryQueue } from './deliverer.ts';

const metrics = createNotifierMetrics(createMetrics('notifier', { forProcess: false }));

const queueOf = (name: string, claim: DeliveryQueue['claim']): DeliveryQueue => ({
  name,
  minPauseMs: 0,
  claim,
  hasFreeSlots: () => true,
});

test.each<[string, (end: AbortSignal) => ReturnType<DeliveryQueue['claim']>]>([
  ['fails', () => Promise.reject(new Error('no claim succeeds'))],
  ['is not answered', (end) => new Promise((resolve) => end.addEventListener('abort', () => resolve([])))],
])('a claim that %s does not delay the deliveries of other queues', async (_, claim) => {
  const end = new AbortController();
  const sent: string[] = [];
  const deliverer = new Deliverer({
    database: { query: async () => [] },
    queues: [
      queueOf('broken', () => claim(end.signal)),
      queueOf('works', async () =>
        sent.length >= 3
          ? []
          : [
              {
                endpointId: 'e',
                deliveries: [{ id: `msg_${sent.length}`, attempt: 1 }],
                async send() {
                  sent.push('sent');
                  return {};
                },
                release() {},
              },
            ],
      ),
    ],
    metrics,
    log: silent,
  });
  await deliverer.start();
  await eventually('the other queue has sent everything', () => sent.length >= 3);
  expect(sent).toHaveLength(3);
  end.abort();
  await deliverer.stop();
});

/** Sends one delivery, whose result is recorded by `query`. Returns the calls of `recorded` and the messages of the log. */
async function deliverOne(query: () => Promise<[]>) {
  const { logOf, lines } = captureLogs();
  const calls = { recorded: 0, released: 0 };
  const job = {
    endpointId: 'e',
    deliveries: [{ id: 'msg_1', attempt: 1 }],
    send: async () => ({}),
    async recorded() {
      calls.recorded++;
      throw new Error('it cannot be deleted');
    },
    release: () => void calls.released++,
  };
  const jobs = [job];
  const queue = queueOf('one', async () => jobs.splice(0));
  const deliverer = new Deliverer({ database: { query }, queues: [queue], metrics, log: logOf('notifier') });
  await deliverer.start();
  return { deliverer, calls, messages: () => lines.map(({ msg }) => msg) };
}

test('what fails after a result was recorded is logged so, and its delivery is not given back', async () => {
  let statements = 0;
  const { deliverer, calls, messages } = await deliverOne(async () => {
    statements++;
    return [];
  });
  await eventually('the delivery has ended', () => calls.released === 1);
  await deliverer.stop();
  expect({ ...calls, statements, messages: messages() }).toEqual({
    recorded: 1,
    released: 1,
    statements: 1,
    messages: ['a result was recorded, and what follows it has failed'],
  });
});

test('what follows a recorded result does not run for one that was not recorded', async () => {
  let statements = 0;
  const { deliverer, calls, messages } = await deliverOne(async () => {
    statements++;
    throw new Error('the database is away');
  });
  await eventually('it tries to record the result', () => statements > 0);
  await deliverer.stop();
  expect({ ...calls, messages: messages() }).toEqual({
    recorded: 0,
    released: 1,
    messages: ['a result was not recorded: the delivery is sent again'],
  });
});

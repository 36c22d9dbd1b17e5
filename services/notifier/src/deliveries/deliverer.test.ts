import { createMetrics } from '@expert-relay/kit/metrics';
import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createNotifierMetrics } from '../notifier-metrics.ts';
import { silent } from '../testing/test-database.ts';
import { Deliverer, type DeliveryQueue } from './deliverer.ts';

const queueOf = (name: string, claim: DeliveryQueue['claim']): DeliveryQueue => ({
  name,
  pauseMs: 0,
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
    metrics: createNotifierMetrics(createMetrics('notifier', { forProcess: false })),
    log: silent,
  });
  await deliverer.start();
  await eventually('the other queue has sent everything', () => sent.length >= 3);
  expect(sent).toHaveLength(3);
  end.abort();
  await deliverer.stop();
});

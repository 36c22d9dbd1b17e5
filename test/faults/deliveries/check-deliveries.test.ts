import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { CommittedState } from '../checks/read-committed.ts';
import { checkDeliveries } from './check-deliveries.ts';
import type { Receipt } from './receivers.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const event = (type: string, name: string) => ({
  requestId: 'r',
  type,
  key: `${type} ${name}`,
  recordedAt: 0,
  streamSeq: 0,
});
const committed: CommittedState = new Map([
  [
    'r',
    {
      requestId: 'r',
      refCode: 'HS-1',
      status: 'closed',
      expiresAt: 0,
      events: [
        event('new_request', 'HS-1'),
        event('new_message', 'of-agent'),
        event('new_message', 'of-expert'),
        event('key_exchange', 'HS-1'),
        event('request_closed', 'HS-1'),
      ],
    },
  ],
]);
const roles = new Map([
  ['of-agent', 'consumer'],
  ['of-expert', 'provider'],
]);

function receipt(id: string, type: string, messageId?: string): Receipt {
  const body = JSON.stringify({ type, data: { requestId: 'r', ...(messageId && { messageId }) } });
  return { id, timestamp: '1000', signature: new Webhook(secret).sign(id, new Date(1_000_000), body), body };
}
const complete = [
  receipt('1', 'message.created', 'of-expert'),
  receipt('2', 'keys.exchanged'),
  receipt('3', 'request.closed'),
  receipt('3', 'request.closed'),
];

test.each<[string, Receipt[], RegExp[]]>([
  ['everything, one of it twice', complete, []],
  ['one missing', complete.slice(1), [/^1 .* were lost/]],
  ['nothing', [], [/^3 .* were lost/]],
  ['a message of its own', [...complete, receipt('4', 'message.created', 'of-agent')], [/^1 .* no event/]],
  ['one again under another id', [...complete, receipt('4', 'request.closed')], [/^1 .* another id/]],
  [
    'a signature with another secret',
    [...complete, { ...receipt('2', 'keys.exchanged'), signature: 'v1,x' }],
    [/^1 .* wrong signature/],
  ],
  [
    'one again with another body',
    [...complete, receipt('3', 'keys.exchanged')],
    [/^1 .* another id/, /^1 .* another body/],
  ],
])('an agent got %s', (_, receipts, failures) => {
  const webhook = { of: 'agent', secret, receipts: () => receipts } as const;
  const result = checkDeliveries([webhook], committed, roles);
  expect(result.failures).toHaveLength(failures.length);
  for (const [index, failure] of failures.entries()) expect(result.failures[index]).toMatch(failure);
});

import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createTargetSealer } from '../endpoints/seal.ts';
import { type MailAnswers, serveMail } from '../testing/raw-mail-server.ts';
import { requestDelivery } from '../testing/request-delivery.ts';
import { startTcpServer } from '../testing/tcp-server.ts';
import { endpointKeys, silent } from '../testing/test-database.ts';
import { createSendEmail } from './send-email.ts';

const sealer = createTargetSealer(endpointKeys);
const endpointId = '00000000-0000-4000-8000-000000000001';
const notice = {
  id: 'msg_1',
  channel: 'email' as const,
  endpointId,
  userId: endpointId,
  deliveries: [requestDelivery],
  ...sealer.seal(endpointId, { address: 'ada@example.com', unsubscribeToken: 'stop' }),
};

const late = { reason: 'timed_out' };
const brokenOff = { reason: 'broken_off' };

test.each<[string, MailAnswers, object]>([
  ['never greets', { greeting: '' }, late],
  ['greets byte by byte', { greeting: { drip: '220-x\r\n' } }, late],
  ['greets without an end', { greeting: { flood: '220-mail.test\r\n' } }, brokenOff],
  ['greets in one line without an end', { greeting: { flood: 'x'.repeat(100) } }, brokenOff],
  ['does not want to talk', { greeting: '554 no\r\n' }, brokenOff],
  ['does not speak SMTP', { greeting: 'HTTP/1.1 200 OK\r\n\r\n' }, brokenOff],
  ['names extensions without an end', { EHLO: { flood: '250-X\r\n' } }, brokenOff],
  ['never answers to the sender', { MAIL: '' }, late],
  ['refuses the recipient for now', { RCPT: '450 later\r\n' }, { reason: 'refused', statusCode: 450 }],
  [
    'refuses the recipient for good and the email for now',
    { RCPT: '550 unknown\r\n', text: '451 later\r\n' },
    { reason: 'refused', statusCode: 550, ends: 'deliveries', isAddressRefused: true },
  ],
  ['refuses the email for now', { text: '451 later\r\n' }, { reason: 'refused', statusCode: 451 }],
  ['accepts the email without an end', { text: { flood: '250-ok\r\n' } }, brokenOff],
  ['accepts the email byte by byte', { text: { drip: '250-ok\r\n' } }, late],
  ['never answers to the email', { text: '' }, late],
])('a mail server that %s costs a limited time', async (_, responses, expected) => {
  await using server = await startTcpServer(serveMail(responses));
  const mailServer = { url: `smtp://127.0.0.1:${server.port}`, from: 'relay@example.com' };
  const send = createSendEmail({
    sealer,
    publicUrl: 'https://relay.example',
    server: mailServer,
    log: silent,
    limits: { stepMs: 1_000, deadlineMs: 2_000 },
  });
  const { response, ...result } = await send(notice);
  expect(result).toEqual(expected);
  await eventually('the connection is closed', () => server.sockets.size === 0);
});

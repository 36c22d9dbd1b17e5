import { createLog } from '@expert-relay/kit/log';
import { expect, test } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { createTargetSealer } from '../endpoints/seal.ts';
import { makeCertificate } from '../testing/make-certificate.ts';
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

const senderTo = (url: string, log = silent) =>
  createSendEmail({
    sealer,
    publicUrl: 'https://relay.example',
    server: { url, from: 'relay@example.com' },
    log,
  });

async function sendTo(url: string) {
  const { response, ...result } = await senderTo(url)(notice);
  return result;
}

/** What each failure means: it is repeated unless it `ends` the deliveries, and the address itself is refused or not. */
const later = (statusCode: number) => ({ reason: 'refused', statusCode });
const email = (statusCode: number) => ({ ...later(statusCode), ends: 'deliveries' });
const address = (statusCode: number) => ({ ...email(statusCode), isAddressRefused: true });
const [notReachable, brokenOff, tlsFailed] = ['not_reachable', 'broken_off', 'tls_failed'].map((reason) => ({
  reason,
}));

test.each<[string, MailAnswers, object | undefined]>([
  ['a connection that ends before the greeting', { greeting: 'close' }, brokenOff],
  ['a server that is too busy', { greeting: '421 4.3.2 later\r\n' }, brokenOff],
  ['a server that wants no email', { greeting: '554 no\r\n' }, brokenOff],
  ['a refused EHLO', { EHLO: '421 4.3.2 later\r\n' }, brokenOff],
  [
    'a STARTTLS that does not work',
    { EHLO: '250-mail.test\r\n250 STARTTLS\r\n', STAR: '454 later\r\n' },
    tlsFailed,
  ],
  ['a wrong password', { AUTH: '535 5.7.8 wrong\r\n' }, notReachable],
  ['a login that needs TLS', { AUTH: '530 5.7.0 TLS first\r\n' }, notReachable],
  ['a login that does not work for now', { AUTH: '454 4.7.0 later\r\n' }, notReachable],
  ['a sender that is refused for now', { MAIL: '451 4.7.1 later\r\n' }, later(451)],
  ['a sender that is refused', { MAIL: '550 no\r\n' }, later(550)],
  ['a sender that is refused, with a detailed code', { MAIL: '553 5.1.8 no\r\n' }, later(553)],
  ['a sender without a login', { MAIL: '530 5.7.0 login first\r\n' }, later(530)],
  ['a quota of the sender', { MAIL: '550 5.4.5 quota\r\n' }, later(550)],
  ['an address that is refused for now', { RCPT: '450 4.2.0 later\r\n' }, later(450)],
  ['a server that closes after the sender', { RCPT: '421 4.3.2 later\r\n' }, later(421)],
  ['an address that is refused', { RCPT: '550 no such user\r\n' }, address(550)],
  ['a mailbox that does not exist', { RCPT: '550-5.1.1 no such\r\n550 5.1.1 user\r\n' }, address(550)],
  ['a mailbox that is full', { RCPT: '552 5.2.2 full\r\n' }, address(552)],
  ['a sender that is refused at its recipient', { RCPT: '553 5.1.8 sender rejected\r\n' }, later(553)],
  [
    'an unknown sender that is refused at its recipient',
    { RCPT: '550 5.1.0 sender rejected\r\n' },
    later(550),
  ],
  ['a relay that is not logged in', { RCPT: '554 5.7.1 relay access denied\r\n' }, later(554)],
  ['the same without a detailed code', { RCPT: '554 relay access denied\r\n' }, later(554)],
  ['a login that is missing at the recipient', { RCPT: '530 5.7.0 login first\r\n' }, later(530)],
  ['a DATA that is refused', { DATA: '554 no\r\n' }, later(554)],
  ['a DATA that is refused for now', { DATA: '451 later\r\n' }, later(451)],
  ['an email that is refused for now', { text: '451 4.7.1 later\r\n' }, later(451)],
  ['an email that is refused', { text: '554 no\r\n' }, email(554)],
  ['an email that is too large', { text: '552 5.3.4 too large\r\n' }, email(552)],
  ['an email with a content that is refused', { text: '554 5.6.0 no\r\n' }, email(554)],
  ['an address that is refused after the email', { text: '550 5.1.1 no such user\r\n' }, address(550)],
  ['a policy that refuses emails of this relay', { text: '550 5.7.26 not authenticated\r\n' }, later(550)],
  ['a quota after the email', { text: '550 5.4.5 quota\r\n' }, later(550)],
  ['a connection that ends after the email', { text: 'close' }, brokenOff],
])('%s', async (_, answers, expected) => {
  await using server = await startTcpServer(
    serveMail({ EHLO: '250-mail.test\r\n250 AUTH PLAIN\r\n', ...answers }),
  );
  expect(await sendTo(`smtp://ada:secret@127.0.0.1:${server.port}`)).toEqual(expected);
});

test('a server that is away', async () => {
  expect(await sendTo('smtp://127.0.0.1:9')).toEqual(notReachable);
});

test.each([
  ['smtps', true],
  ['smtp', false],
])('a certificate that is not valid, over %s', async (protocol, secure) => {
  const server = new SMTPServer({ secure, authOptional: true, ...makeCertificate('mail.test') });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as { port: number };
  expect(await sendTo(`${protocol}://127.0.0.1:${port}`)).toEqual(tlsFailed);
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

test('the log reports once that the server refuses the relay, and not to whom the emails go', async () => {
  let text = '';
  const destination = {
    write(line: string) {
      text += line;
    },
  };
  const log = createLog('test', { level: 'info', destination });
  await using server = await startTcpServer(
    serveMail({ RCPT: '554 5.7.1 <ada@example.com>: relay access denied\r\n' }),
  );
  const send = senderTo(`smtp://127.0.0.1:${server.port}`, log);
  await send(notice);
  await send(notice);
  const lines = text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { reason: 'refused', command: 'RCPT TO', status: 554, detail: '5.7.1' },
  ]);
  expect(text).not.toContain('ada@');
});

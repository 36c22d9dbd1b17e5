import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import type { ClaimedNotice, NoticeDelivery } from '../deliveries/claim-for-people.ts';
import { createTargetSealer } from '../endpoints/seal.ts';
import { endpointKeys, silent } from '../testing/test-database.ts';
import { composeEmail, createSendEmail } from './send-email.ts';

const publicUrl = 'https://relay.example';
const endpointId = '00000000-0000-4000-8000-000000000001';
const sealer = createTargetSealer(endpointKeys);
const target = { address: 'ada@example.com', unsubscribeToken: 'stop' };

interface Email {
  readonly to: readonly string[];
  readonly from: string;
  readonly text: string;
}

const emails: Email[] = [];
const logins: (string | undefined)[] = [];
/** The response of the server to the recipient. */
let refusal: { rcpt?: number } = {};
const smtpError = (responseCode: number) =>
  Object.assign(new Error('no such user\u0007 größer'), { responseCode });
let server: SMTPServer;
let url: string;

beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username }, _session, done) {
      logins.push(username);
      done(null, { user: username });
    },
    onRcptTo: (_address, _session, done) => done(refusal.rcpt ? smtpError(refusal.rcpt) : null),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        emails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          from,
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  url = `127.0.0.1:${(server.server.address() as { port: number }).port}`;
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
beforeEach(() => {
  emails.length = 0;
  logins.length = 0;
  refusal = {};
});

const delivery = (refCode: string, members: Partial<NoticeDelivery> = {}): NoticeDelivery => ({
  id: `msg ${refCode}`,
  attempt: 1,
  type: 'request.created',
  requestId: `id of ${refCode}`,
  refCode,
  agentName: null,
  form: null,
  question: null,
  secondsLeft: 60,
  endpointsOff: null,
  ...members,
});

function send(
  deliveries: NoticeDelivery[],
  server = { url: `smtp://${url}`, from: 'Relay <relay@example.com>' },
) {
  const notice: ClaimedNotice = {
    id: 'msg_1',
    channel: 'email',
    endpointId,
    userId: endpointId,
    deliveries,
    ...sealer.seal(endpointId, target),
  };
  return createSendEmail({ sealer, publicUrl, server, log: silent })(notice);
}

test('an email is plain text, can be unsubscribed with one click, and keeps its id when it is sent again', async () => {
  const requests = [
    delivery('HS-1', { question: 'May I\nnow?', agentName: 'Bob\r\nBcc: x@y.z' }),
    delivery('HS-2'),
  ];
  expect(await send(requests)).toEqual({});
  // The first one was answered meanwhile.
  expect(await send(requests.slice(1))).toEqual({});
  const [first, second] = emails.map(({ text }) => text.split('\r\n\r\n', 1)[0] ?? '');
  expect(emails[0]).toMatchObject({ to: ['ada@example.com'], from: 'relay@example.com' });
  const header = (name: string, head = first) =>
    new RegExp(`^${name}: ?((?:.|\\r\\n[ \\t])*)`, 'im')
      .exec(head ?? '')?.[1]
      ?.replace(/\r\n[ \t]/g, ' ')
      .trim();
  expect(header('Content-Type')).toMatch(/^text\/plain/);
  expect(header('Auto-Submitted')).toBe('auto-generated');
  expect(header('List-Unsubscribe')?.replaceAll(' ', '')).toBe(
    `<https://relay.example/unsubscribe?channel=${endpointId}&token=stop>`,
  );
  expect(header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(header('Subject')).toBe('2 requests wait for an answer');
  expect(header('Bcc')).toBeUndefined();
  expect(header('Message-ID')).toBe(header('Message-ID', second));
  const { text } = composeEmail({ deliveries: requests, endpointId }, target, publicUrl);
  expect(text).toContain(
    'Bob Bcc: x@\u200by.\u200bz asks a question (HS-1).\n> May I\n> now?\nhttps://relay.example/dashboard/code/HS-1\n\n' +
      'An agent asks a question (HS-2).\n',
  );
  expect(text).not.toContain('id of');
});

test('an email about endpoints that are off names them, and what to do', () => {
  const endpointsOff = [
    { channel: 'webhook', name: 'build\nagent', reason: 'failing' },
    { channel: 'chat', name: null, reason: 'gone' },
  ] as const;
  const off = delivery('', { type: 'endpoint.off', requestId: null, endpointsOff });
  const { subject, text } = composeEmail({ deliveries: [off], endpointId }, target, publicUrl);
  expect(subject).toBe('Expert Relay has switched off notifications');
  expect(text).toContain(
    '- the webhook of “build agent”: nothing could be delivered\n- the chat: its address does not exist any more\n',
  );
  expect(text).toContain(`${publicUrl}/dashboard/settings`);
});

test('the name of an agent cannot add headers by the subject', async () => {
  await send([delivery('HS-1', { agentName: 'a\r\nX-Evil: 1\r\n\r\nbody' })]);
  expect(emails[0]?.text).not.toMatch(/^X-Evil/im);
});

test('what a server answers is shown in its letters, without control characters', async () => {
  refusal = { rcpt: 550 };
  const { response } = await send([delivery('HS-1')]);
  expect(response).toMatch(/^[\x20-\x7e]*no such user größer$/);
});

describe('a password', () => {
  const sendTo = (server: string) =>
    send([delivery('HS-1')], { url: `smtp://ada:right@${server}`, from: 'relay@example.com' });

  test('is not sent over a network without TLS, also if the server offers none', async () => {
    // An address of this machine that is not known to be one.
    expect(await sendTo(url.replace('127.0.0.1', '0.0.0.0'))).toEqual({ reason: 'tls_failed' });
    expect([emails, logins]).toEqual([[], []]);
  });

  test('is sent without TLS to this machine, or if the operator allows it', async () => {
    expect(await sendTo(url)).toEqual({});
    expect(await sendTo(`${url.replace('127.0.0.1', '0.0.0.0')}?requireTLS=false`)).toEqual({});
    expect(logins).toEqual(['ada', 'ada']);
  });
});

test('a delivery of a type of a newer release is not sent as something else', () => {
  const unknown = delivery('HS-7K3M9QXA', { type: 'request.moved' as never });
  expect(() => composeEmail({ deliveries: [unknown], endpointId }, target, publicUrl)).toThrow(
    'request.moved',
  );
});

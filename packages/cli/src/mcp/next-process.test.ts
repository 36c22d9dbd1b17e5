import { eventually, type Lie, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { alterList } from '@expert-relay/testkit/lies';
import { expect, test } from '@jest/globals';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';

/*
 * What one server of an agent knows of those before it, whatever the relay shows: docs/crypto-storage.md, "What another process must know".
 * A contradiction is in decisions.test.ts.
 */

const { withClient, withSession } = useMcpRelay();

const approval = { type: 'object', properties: {} } as const;
const yes = { decision: { action: 'accept', content: {} }, evenIfNewer: true } as const;
const no = { decision: { action: 'decline' }, evenIfNewer: true } as const;

/** An approval that was asked for behind a relay that may lie. */
const withApproval = (
  check: (session: McpSession, liar: LyingRelay, asked: Awaited<ReturnType<McpSession['ask']>>) => unknown,
) =>
  withSession(async (session) => {
    const liar = await startLyingRelay(session.relay);
    try {
      await session.start({ RELAY_URL: liar.url });
      const asked = await session.ask({ form: approval });
      await asked.request.pickUp();
      await check(session, liar, asked);
    } finally {
      await liar.stop();
    }
  });

const failing: Lie = {
  swallow: ({ method, path }) =>
    method === 'POST' && path.includes('/message/') ? { status: 503, body: { status: 503 } } : undefined,
};

test.concurrent(
  'a decision that was returned is returned again, and is the only one: a later one is a message',
  withApproval(async (session, liar, { reference, request }) => {
    await request.answer('Go.', yes);
    expect((await session.wait(reference)).data).toMatchObject({ outcome: 'accepted' });
    await session.start({ RELAY_URL: liar.url });
    await request.answer('Stop!', no);
    expect((await session.wait(reference)).data).toMatchObject({ outcome: 'accepted', answers: [] });
    expect((await session.wait(reference)).data).toMatchObject({
      outcome: 'answered',
      form_is_open: false,
      answers: [{ text: 'Stop!' }],
    });
  }),
);

test.concurrent(
  'a question that was closed takes no later decision',
  withApproval(async (session, liar, { reference, request }) => {
    liar.tell({
      swallow: ({ path }) =>
        path.includes('/close/') ? { status: 200, body: { status: 'closed', responseCount: 0 } } : undefined,
    });
    await session.agent.call('close', { reference });
    await request.answer('', yes);
    await session.start({ RELAY_URL: liar.url });
    const { data, text } = await session.wait(reference);
    expect(data?.outcome ?? text).toMatch(/closed|withdrawn/);
  }),
);

test.concurrent(
  'a message that waits keeps a decision from counting, and is sent',
  withApproval(async (session, liar, { reference, request }) => {
    liar.tell(failing);
    await session.agent.call('reply', { reference, text: 'WAIT' });
    await request.answer('', yes);
    await session.start({ RELAY_URL: liar.url });
    liar.tell({});
    await session.waitWithoutAnswer(reference);
    await request.refresh();
    expect(request.decision).toBe('reopened');
  }),
);

test.concurrent(
  'a message that was sent must be in the list',
  withApproval(async (session, liar, { reference, request }) => {
    await session.agent.call('reply', { reference, text: 'WAIT' });
    const [{ messageId }] = (await session.listed(request.requestId)).messages;
    liar.tell(
      alterList((messages, answer) => {
        answer.messages = messages.filter((one) => one.messageId !== messageId);
      }),
    );
    await request.answer('', yes);
    await session.start({ RELAY_URL: liar.url });
    expect((await session.wait(reference)).text).toContain('Error code: untrusted (message_missing)');
  }),
);

/** The server is killed after a reply that the relay has answered with 503. */
const withReply = (
  isAway: NonNullable<Lie['swallow']>,
  check: (
    session: McpSession,
    asked: Awaited<ReturnType<McpSession['ask']>> & { sent: readonly string[]; reply: string },
  ) => unknown,
) =>
  withApproval(async (session, liar, asked) => {
    const sent: string[] = [];
    const call: Lie['call'] = ({ method, path, body }) => {
      if (method === 'POST' && path.includes('/message/')) sent.push(JSON.stringify(body));
    };
    // The keys of the expert are stored then, and the next server reads the list before it sends.
    await session.agent.call('reply', { reference: asked.reference, text: 'Please be quick.' });
    await session.agent.kill();
    await session.start({ RELAY_URL: liar.url });
    liar.tell({ call, swallow: isAway });
    const { text: reply } = await session.agent.call('reply', { reference: asked.reference, text: 'WAIT' });
    await session.agent.kill();
    await session.start({ RELAY_URL: liar.url });
    liar.tell({ call });
    await check(session, { ...asked, sent, reply });
  });

test.concurrent(
  'a message that was sealed is sent as it is',
  withReply(
    failing.swallow as NonNullable<Lie['swallow']>,
    async (session, { reference, request, sent, reply }) => {
      expect(reply).toContain('Do not send them again');
      await session.waitWithoutAnswer(reference);
      // The server goes on sending after the call.
      await eventually(
        'the message to arrive',
        async () => (await session.listed(request.requestId)).messages.length === 2,
      );
      expect(sent.length).toBeGreaterThan(1);
      expect(new Set(sent).size).toBe(1);
    },
  ),
);

test.concurrent(
  'a message that was taken back before it was sealed is not sent',
  withReply(
    ({ path }) => (path.includes('/messages/') ? { status: 503, body: { status: 503 } } : undefined),
    async (session, { reference, request, sent, reply }) => {
      expect(reply).toContain('make the same call again');
      await request.refresh();
      for await (const { from } of request.messages) if (from === 'agent') break;
      await request.answer('Go.', yes);
      expect((await session.wait(reference)).data).toMatchObject({ outcome: 'accepted', unsent: 0 });
      expect(sent).toEqual([]);
    },
  ),
);

test.concurrent(
  'another device, with the same secret and idempotency key, has what the list shows',
  withSession(async (session) => {
    const secret = { RELAY_AGENT_SECRET: Buffer.alloc(32, 7).toString('base64') };
    const question = { form: approval, idempotency_key: 'job-7' };
    const machine = async (name: string) => {
      await session.start({ ...secret, RELAY_CONFIG_DIR: `${session.env.RELAY_CONFIG_DIR}/${name}` });
      return await session.ask(question);
    };
    const { reference, request } = await machine('one');
    await request.answer('Go.', yes);
    expect((await session.wait(reference)).data).toMatchObject({ outcome: 'accepted' });
    expect(await machine('other')).toMatchObject({ reference });
    expect((await session.wait(reference)).data).toMatchObject({ outcome: 'accepted' });
    await request.answer('Stop!', no);
    // A machine that was not given the first one.
    await machine('third');
    const first = await session.wait(reference);
    expect(first.data).toMatchObject({ outcome: 'answered', answers: [{ text: 'Go.' }] });
    expect(first.text).toContain('In it the expert has accepted.');
    const decided = { outcome: 'declined', decision: { comment: 'Stop!' } };
    expect((await session.wait(reference)).data).toMatchObject(decided);
  }),
);

test.concurrent(
  'a key of another user sees nothing of it',
  withClient(async (session) => {
    const { reference } = await session.ask();
    const { consumerKey } = await session.relay.makeTenant();
    const other = await session.start({ RELAY_API_KEY: consumerKey });
    const listed = await other.call('conversation_status');
    expect(listed).toMatchObject({ isError: false, data: { conversations: [] } });
    const calls: [string, object][] = [
      ['conversation_status', { transcript: true }],
      ['wait_for_answer', { max_seconds: 1 }],
      ['reply', { text: 'Hello?' }],
      ['close', {}],
    ];
    for (const [name, input] of calls) {
      const { isError, text } = await other.call(name, { reference, ...input });
      expect({ name, isError, text }).toEqual({
        name,
        isError: true,
        text: expect.stringContaining('Error code: not_found'),
      });
    }
    const own = await session.start();
    const { data } = await own.call('conversation_status');
    expect(data.conversations).toMatchObject([{ reference, status: 'pending' }]);
  }),
);

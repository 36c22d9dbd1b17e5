import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { encryptedContent, encryptedMessage } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();

async function newConversation() {
  const { requestId, refCode } = await setup.alice.consumer.newRequest();
  const path = `/api/v1/message/${requestId}`;
  return {
    requestId,
    refCode,
    sendAsConsumer: (body: unknown) => setup.alice.consumer.post(path, body),
    sendAsProvider: (body: unknown) => setup.alice.provider.post(path, body),
    read: async () => (await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json,
  };
}

describe('an answer to a form', () => {
  const form = '{"type": "object",  "properties": {"region": {"type": "string"}}}';
  const noKeys = { consumerSignPubKey: undefined, consumerEncryptPubKey: undefined, plaintext: 'Where?' };
  const answer = '{"action": "accept", "content": {"region": "eü"}}';
  const filledIn = { role: 'provider', plaintext: 'Region: eü', answer };

  async function withForm(members: Record<string, unknown> = { ...noKeys, answerForm: form }) {
    const { requestId } = await setup.alice.consumer.newRequest(members);
    return {
      requestId,
      path: `/api/v1/message/${requestId}`,
      read: async () => (await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json,
    };
  }
  const refusal = (path: string) => ({
    status: 400,
    json: expect.objectContaining({ fields: [expect.objectContaining({ path })] }),
  });

  test('and the form are returned byte for byte, and a repetition is recognised', async () => {
    const { path, read } = await withForm();
    const message = { ...filledIn, messageId: randomUUID() };
    expect((await setup.alice.provider.post(path, message)).status).toBe(201);
    expect((await setup.alice.provider.post(path, message)).status).toBe(200);
    const other = { ...message, answer: answer.replace('  ', ' ').replace('accept', 'decline') };
    expect((await setup.alice.provider.post(path, other)).status).toBe(409);
    expect(await read()).toMatchObject({ answerForm: form, messages: [message] });
  });

  test('may come from a session', async () => {
    const { requestId, read } = await withForm();
    const { role, ...message } = filledIn;
    expect((await setup.alice.session.post(`/api/requests/${requestId}/messages`, message)).status).toBe(201);
    expect((await read()).messages).toEqual([expect.objectContaining(filledIn)]);
  });

  test('is the only thing that a request without a form, or with keys, refuses', async () => {
    for (const members of [noKeys, { answerForm: form }]) {
      const { path, read } = await withForm(members);
      expect(await setup.alice.provider.post(path, filledIn)).toMatchObject(refusal('answer'));
      expect((await setup.alice.provider.post(path, { role: 'provider', plaintext: 'x' })).status).toBe(201);
      expect((await read()).messages).toHaveLength(1);
    }
  });

  test('comes from the expert', async () => {
    const { path } = await withForm();
    const sent = { ...filledIn, role: 'consumer' };
    expect(await setup.alice.consumer.post(path, sent)).toMatchObject(refusal('answer'));
  });

  test.each([
    ['no JSON', 'yes', 'answer'],
    ['a list', '[]', 'answer'],
    ['another action', '{"action": "cancel"}', 'answer'],
    ['a member twice', '{"action": "accept", "action": "decline"}', 'answer'],
    ['more than 64 KiB', JSON.stringify({ action: 'accept', content: 'x'.repeat(65_536) }), 'answer'],
    ['no text', {}, 'answer'],
  ])('is refused when it is %s', async (_name, value, at) => {
    const { path } = await withForm();
    expect(await setup.alice.provider.post(path, { ...filledIn, answer: value })).toMatchObject(refusal(at));
  });

  test('needs a text that says the same, and no blob', async () => {
    const { path } = await withForm();
    const alone = { role: 'provider', answer };
    expect(await setup.alice.provider.post(path, alone)).toMatchObject(refusal('plaintext'));
    const encrypted = { ...encryptedMessage('provider'), ...filledIn };
    expect(await setup.alice.provider.post(path, encrypted)).toMatchObject(refusal('answer'));
  });
});

describe('a warning', () => {
  const words = { role: 'provider', plaintext: 'Yes.' };
  const noKeys = { consumerSignPubKey: undefined, consumerEncryptPubKey: undefined, plaintext: 'May I?' };
  const answerForm = '{"type":"object","properties":{}}';
  const decision = { ...words, answer: '{"action":"accept","content":{}}' };

  test.each([
    ['words to an agent with keys', {}, words, 'agent_refuses_plaintext'],
    ['words to an agent with keys and a form', { answerForm }, words, 'agent_refuses_plaintext'],
    ['words to a form', { ...noKeys, answerForm }, words, 'not_a_decision'],
    ['a decision', { ...noKeys, answerForm }, decision, undefined],
    ['words without a form', noKeys, words, undefined],
    ['an encrypted answer', { answerForm }, encryptedMessage('provider'), undefined],
    [
      'an encrypted answer that is readable too',
      {},
      { ...encryptedMessage('provider'), ...words },
      undefined,
    ],
    ['words of the agent', { answerForm }, { ...words, role: 'consumer' }, undefined],
  ])('%s', async (_name, members, message, warning) => {
    const { consumer, provider, session } = setup.alice;
    const { requestId } = await consumer.newRequest(members);
    const caller = message.role === 'consumer' ? consumer : provider;
    const send = () => caller.post(`/api/v1/message/${requestId}`, { messageId, ...message });
    const messageId = randomUUID();
    for (const status of [201, 200]) {
      const response = await send();
      expect({ status: response.status, warning: response.json.warning }).toEqual({ status, warning });
    }
    if (message.role === 'consumer') return;
    const bySession = await session.post(`/api/requests/${requestId}/messages`, {
      ...message,
      messageId: randomUUID(),
    });
    expect({ status: bySession.status, warning: bySession.json.warning }).toEqual({ status: 201, warning });
  });
});

describe(row('decisions', 'message'), () => {
  test('encrypted, plain, and both forms at once are stored as they were sent', async () => {
    const { sendAsConsumer, sendAsProvider, read } = await newConversation();
    const encrypted = encryptedMessage('provider');
    const plain = { role: 'consumer', plaintext: 'Thank you. 🙈' };
    const both = { ...encryptedMessage('provider'), plaintext: 'The same in clear.' };
    expect((await sendAsProvider(encrypted)).status).toBe(201);
    expect((await sendAsConsumer(plain)).status).toBe(201);
    expect((await sendAsProvider(both)).status).toBe(201);
    const { messages, responseCount, status } = await read();
    expect(messages).toEqual([encrypted, plain, both].map((sent) => expect.objectContaining(sent)));
    expect(messages[0]).not.toHaveProperty('plaintext');
    expect(messages[1]).not.toHaveProperty('encrypted');
    expect({ responseCount, status }).toEqual({ responseCount: 2, status: 'responded' });
  });

  test('the role must match the key', async () => {
    const { sendAsConsumer, sendAsProvider } = await newConversation();
    for (const response of [
      await sendAsConsumer({ role: 'provider', plaintext: 'x' }),
      await sendAsProvider({ role: 'consumer', plaintext: 'x' }),
    ]) {
      expect(response.status).toBe(403);
      expect(response.json.error).toBe('role_mismatch');
    }
  });

  test('encrypted messages are accepted before a key exchange', async () => {
    const { sendAsConsumer, sendAsProvider } = await newConversation();
    expect((await sendAsConsumer(encryptedMessage('consumer'))).status).toBe(201);
    expect((await sendAsProvider(encryptedMessage('provider'))).status).toBe(201);
  });

  test('the same message again returns the first result and is counted once', async () => {
    const { sendAsProvider, read } = await newConversation();
    const message = encryptedMessage('provider');
    const first = await sendAsProvider(message);
    const second = await sendAsProvider({ ...message, messageId: message.messageId.toUpperCase() });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.json).toEqual(first.json);
    expect((await read()).responseCount).toBe(1);
  });

  test('the same message again returns the first result after later messages and after the end', async () => {
    const { requestId, sendAsConsumer, sendAsProvider, read } = await newConversation();
    const [early, late] = [encryptedMessage('consumer'), encryptedMessage('consumer')];
    const response = encryptedMessage('provider');
    const first = [
      await sendAsConsumer(early),
      await sendAsProvider(response),
      await sendAsConsumer(late),
    ].map(({ json }) => json);
    expect(first.map(({ status }) => status)).toEqual(['pending', 'responded', 'responded']);

    const repeat = async () => {
      const responses = [
        await sendAsConsumer(early),
        await sendAsProvider(response),
        await sendAsConsumer(late),
      ];
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(responses.map(({ json }) => json)).toEqual(first);
    };
    await repeat();
    await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
    await repeat();
    expect((await read()).messages).toHaveLength(3);
  });

  test.each([
    ['another text', { plaintext: 'changed' }],
    ['another form', { plaintext: undefined, ...encryptedContent() }],
    ['an additional form', encryptedContent()],
  ])('the same messageId with %s: 409', async (_name, change) => {
    const { sendAsConsumer } = await newConversation();
    const message = { role: 'consumer', plaintext: 'first', messageId: randomUUID() };
    await sendAsConsumer(message);
    const response = await sendAsConsumer({ ...message, ...change });
    expect(response.status).toBe(409);
    expect(response.json.error).toBe('message_id_taken');
  });

  test('the same messageId is 409 from the other party, and accepted in another request', async () => {
    const { sendAsConsumer, sendAsProvider } = await newConversation();
    const messageId = randomUUID();
    await sendAsConsumer({ role: 'consumer', plaintext: 'x', messageId });
    expect((await sendAsProvider({ role: 'provider', plaintext: 'x', messageId })).status).toBe(409);
    const other = await newConversation();
    expect((await other.sendAsConsumer({ role: 'consumer', plaintext: 'x', messageId })).status).toBe(201);
  });

  test('again with null for the members that it had not: 200', async () => {
    const { sendAsConsumer } = await newConversation();
    const body = { role: 'consumer', plaintext: 'x', messageId: randomUUID() };
    const first = await sendAsConsumer(body);
    const again = await sendAsConsumer({ ...body, encrypted: null, signature: null, answer: null });
    expect([first.status, again.status, again.text]).toEqual([201, 200, first.text]);
  });

  test('without a messageId the relay generates one', async () => {
    const { sendAsConsumer, read } = await newConversation();
    const first = await sendAsConsumer({ role: 'consumer', plaintext: 'x' });
    const second = await sendAsConsumer({ role: 'consumer', plaintext: 'x', messageId: null });
    expect(first.json.messageId).not.toBe(second.json.messageId);
    expect((await read()).messages).toHaveLength(2);
  });
});

describe(row('decisions', 'finer points of messages'), () => {
  const blob = encryptedContent();
  const invalidBlob = (change: Record<string, unknown>) => ({
    ...blob,
    encrypted: { ...blob.encrypted, ...change },
  });

  test.each([
    ['no content', 'plaintext', {}],
    ['only null', 'plaintext', { plaintext: null, encrypted: null, signature: null }],
    ['an empty plaintext', 'plaintext', { plaintext: '' }],
    ['an empty plaintext and a blob', 'plaintext', { ...blob, plaintext: '' }],
    ['a blob without its signature', 'signature', { encrypted: blob.encrypted }],
    ['a signature without its blob', 'encrypted', { signature: blob.signature }],
    [
      'an incomplete encrypted form and a valid text',
      'signature',
      { encrypted: blob.encrypted, plaintext: 'x' },
    ],
    ['a blob without iv', 'encrypted.iv', invalidBlob({ iv: undefined })],
    ['a blob whose tag is null', 'encrypted.tag', invalidBlob({ tag: null })],
    [
      'an invalid blob and a valid text',
      'encrypted.ciphertext',
      { ...invalidBlob({ ciphertext: 'no base64!' }), plaintext: 'x' },
    ],
    ['base64 without padding', 'encrypted.iv', invalidBlob({ iv: 'AAA' })],
    ['base64url', 'encrypted.iv', invalidBlob({ iv: '-_-_' })],
    ['base64 in lines', 'encrypted.ciphertext', invalidBlob({ ciphertext: 'AAAA\nAAAA' })],
    ['base64 with unused bits set', 'encrypted.tag', invalidBlob({ tag: 'AB==' })],
    ['an empty signature', 'signature', { ...blob, signature: '' }],
    ['an empty signature and a valid text', 'signature', { plaintext: 'x', signature: '' }],
    ['a signature that is not base64', 'signature', { ...blob, signature: '*' }],
    ['a blob that is a text', 'encrypted', { ...blob, encrypted: 'AAAA' }],
    ['a blob that is a list', 'encrypted', { ...blob, encrypted: ['AAAA'] }],
    ['a messageId that is not a UUID', 'messageId', { plaintext: 'x', messageId: 'one' }],
    ['a messageId in braces', 'messageId', { plaintext: 'x', messageId: `{${randomUUID()}}` }],
    ['a plaintext that is a number', 'plaintext', { plaintext: 5 }],
    ['an unknown role', 'role', { plaintext: 'x', role: 'admin' }],
    ['no role', 'role', { plaintext: 'x', role: undefined }],
    ['a role that is null', 'role', { plaintext: 'x', role: null }],
  ])('%s: 400 at %s', async (_name, path, content) => {
    const { sendAsConsumer } = await newConversation();
    const response = await sendAsConsumer({ role: 'consumer', ...content });
    expect(response.status).toBe(400);
    expect(response.json.fields).toContainEqual(expect.objectContaining({ path }));
  });

  test.each([
    ['a UUID of version 1', 'c232ab00-9414-11ec-b3c8-9e6bdeced846'],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['a UUID in upper case', randomUUID().toUpperCase()],
  ])('%s is accepted as messageId and stored as sent', async (_name, messageId) => {
    const { sendAsConsumer, read } = await newConversation();
    expect((await sendAsConsumer({ role: 'consumer', plaintext: 'x', messageId })).json.messageId).toBe(
      messageId,
    );
    expect((await read()).messages[0].messageId).toBe(messageId);
  });

  test('a form that is null counts as missing', async () => {
    const { sendAsConsumer } = await newConversation();
    expect(
      (await sendAsConsumer({ role: 'consumer', plaintext: 'x', encrypted: null, signature: null })).status,
    ).toBe(201);
    expect((await sendAsConsumer({ ...encryptedMessage('consumer'), plaintext: null })).status).toBe(201);
  });

  test('text is stored byte for byte', async () => {
    const plaintext = '\u0001\r\n\u2028 e\u0301é \ufeff \uffff 🙈 "\\ ';
    const { sendAsConsumer, read } = await newConversation();
    await sendAsConsumer({ role: 'consumer', plaintext });
    expect((await read()).messages[0].plaintext).toBe(plaintext);
  });

  test('a blob with empty members is accepted, because the relay checks no lengths', async () => {
    const { sendAsConsumer } = await newConversation();
    const empty = { iv: '', ciphertext: '', tag: '', ephemeralPublicKey: '' };
    expect((await sendAsConsumer({ role: 'consumer', encrypted: empty, signature: 'AA==' })).status).toBe(
      201,
    );
  });
});

test(row('decisions', 'bodies of key exchange, send, close'), async () => {
  const { requestId, refCode, sendAsConsumer, sendAsProvider } = await newConversation();
  const asked = await sendAsConsumer({ role: 'consumer', plaintext: 'x' });
  expect(asked.json).toEqual({
    requestId,
    refCode,
    status: 'pending',
    messageId: expect.any(String),
    role: 'consumer',
    createdAt: expect.any(String),
  });
  expect((await sendAsProvider({ role: 'provider', plaintext: 'x' })).json.status).toBe('responded');
  const closed = await setup.alice.provider.post(`/api/v1/close/${requestId}`);
  expect(closed.json).toEqual({
    requestId,
    refCode,
    status: 'closed',
    closedBy: 'provider',
    responseCount: 1,
    closedAt: expect.any(String),
  });
});

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
    ask: (body: unknown) => setup.alice.consumer.post(path, body),
    reply: (body: unknown) => setup.alice.provider.post(path, body),
    read: async () => (await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json,
  };
}

describe(row('decisions', 'message'), () => {
  test('encrypted, plain, and both forms at once are kept as they were sent', async () => {
    const { ask, reply, read } = await newConversation();
    const encrypted = encryptedMessage('provider');
    const plain = { role: 'consumer', plaintext: 'Thank you. 🙈' };
    const both = { ...encryptedMessage('provider'), plaintext: 'The same in clear.' };
    expect((await reply(encrypted)).status).toBe(201);
    expect((await ask(plain)).status).toBe(201);
    expect((await reply(both)).status).toBe(201);
    const { messages, responseCount, status } = await read();
    expect(messages).toEqual([encrypted, plain, both].map((sent) => expect.objectContaining(sent)));
    expect(messages[0]).not.toHaveProperty('plaintext');
    expect(messages[1]).not.toHaveProperty('encrypted');
    expect({ responseCount, status }).toEqual({ responseCount: 2, status: 'responded' });
  });

  test('the role must match the key', async () => {
    const { ask, reply } = await newConversation();
    for (const answer of [
      await ask({ role: 'provider', plaintext: 'x' }),
      await reply({ role: 'consumer', plaintext: 'x' }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.json.error).toBe('role_mismatch');
    }
  });

  test('every form is accepted before a key exchange too', async () => {
    const { ask, reply } = await newConversation();
    expect((await ask(encryptedMessage('consumer'))).status).toBe(201);
    expect((await reply(encryptedMessage('provider'))).status).toBe(201);
  });

  test('the same message again gives the first result, and counts once', async () => {
    const { reply, read } = await newConversation();
    const message = encryptedMessage('provider');
    const first = await reply(message);
    const second = await reply({ ...message, messageId: message.messageId.toUpperCase() });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.json).toEqual(first.json);
    expect((await read()).responseCount).toBe(1);
  });

  test('even after more was said, and after the end', async () => {
    const { requestId, ask, reply, read } = await newConversation();
    const [early, late] = [encryptedMessage('consumer'), encryptedMessage('consumer')];
    const response = encryptedMessage('provider');
    const first = [await ask(early), await reply(response), await ask(late)].map(({ json }) => json);
    expect(first.map(({ status }) => status)).toEqual(['pending', 'responded', 'responded']);

    const repeat = async () => {
      const answers = [await ask(early), await reply(response), await ask(late)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers.map(({ json }) => json)).toEqual(first);
    };
    await repeat();
    await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
    await repeat();
    expect((await read()).messages).toHaveLength(3);
  });

  test.each([
    ['another text', { plaintext: 'changed' }],
    ['another form', { plaintext: undefined, ...encryptedContent() }],
    ['one more form', encryptedContent()],
  ])('the same messageId with %s is 409', async (_name, change) => {
    const { ask } = await newConversation();
    const message = { role: 'consumer', plaintext: 'first', messageId: randomUUID() };
    await ask(message);
    const answer = await ask({ ...message, ...change });
    expect(answer.status).toBe(409);
    expect(answer.json.error).toBe('message_id_taken');
  });

  test('the same messageId from the other party is 409, in another request it is free', async () => {
    const { ask, reply } = await newConversation();
    const messageId = randomUUID();
    await ask({ role: 'consumer', plaintext: 'x', messageId });
    expect((await reply({ role: 'provider', plaintext: 'x', messageId })).status).toBe(409);
    const other = await newConversation();
    expect((await other.ask({ role: 'consumer', plaintext: 'x', messageId })).status).toBe(201);
  });

  test('without a messageId the relay makes one', async () => {
    const { ask, read } = await newConversation();
    const first = await ask({ role: 'consumer', plaintext: 'x' });
    const second = await ask({ role: 'consumer', plaintext: 'x', messageId: null });
    expect(first.json.messageId).not.toBe(second.json.messageId);
    expect((await read()).messages).toHaveLength(2);
  });
});

describe(row('decisions', 'finer points of messages'), () => {
  const blob = encryptedContent();
  const bad = (change: Record<string, unknown>) => ({ ...blob, encrypted: { ...blob.encrypted, ...change } });

  test.each([
    ['nothing', 'plaintext', {}],
    ['nothing but null', 'plaintext', { plaintext: null, encrypted: null, signature: null }],
    ['an empty plaintext', 'plaintext', { plaintext: '' }],
    ['an empty plaintext beside a blob', 'plaintext', { ...blob, plaintext: '' }],
    ['a blob without its signature', 'signature', { encrypted: blob.encrypted }],
    ['a signature without its blob', 'encrypted', { signature: blob.signature }],
    ['half an encrypted form beside a good text', 'signature', { encrypted: blob.encrypted, plaintext: 'x' }],
    ['a blob without iv', 'encrypted.iv', bad({ iv: undefined })],
    ['a blob whose tag is null', 'encrypted.tag', bad({ tag: null })],
    [
      'a bad blob beside a good text',
      'encrypted.ciphertext',
      { ...bad({ ciphertext: 'no base64!' }), plaintext: 'x' },
    ],
    ['base64 without padding', 'encrypted.iv', bad({ iv: 'AAA' })],
    ['base64url', 'encrypted.iv', bad({ iv: '-_-_' })],
    ['base64 in lines', 'encrypted.ciphertext', bad({ ciphertext: 'AAAA\nAAAA' })],
    ['base64 with stray bits', 'encrypted.tag', bad({ tag: 'AB==' })],
    ['an empty signature', 'signature', { ...blob, signature: '' }],
    ['an empty signature beside a good text', 'signature', { plaintext: 'x', signature: '' }],
    ['a signature that is no base64', 'signature', { ...blob, signature: '*' }],
    ['a blob that is a text', 'encrypted', { ...blob, encrypted: 'AAAA' }],
    ['a blob that is a list', 'encrypted', { ...blob, encrypted: ['AAAA'] }],
    ['a messageId that is no UUID', 'messageId', { plaintext: 'x', messageId: 'one' }],
    ['a messageId in braces', 'messageId', { plaintext: 'x', messageId: `{${randomUUID()}}` }],
    ['a plaintext that is a number', 'plaintext', { plaintext: 5 }],
    ['a role that nobody has', 'role', { plaintext: 'x', role: 'admin' }],
    ['no role', 'role', { plaintext: 'x', role: undefined }],
    ['a role that is null', 'role', { plaintext: 'x', role: null }],
  ])('%s is 400 at %s', async (_name, path, content) => {
    const { ask } = await newConversation();
    const answer = await ask({ role: 'consumer', ...content });
    expect(answer.status).toBe(400);
    expect(answer.json.fields).toContainEqual(expect.objectContaining({ path }));
  });

  test.each([
    ['a UUID of version 1', 'c232ab00-9414-11ec-b3c8-9e6bdeced846'],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['upper case', randomUUID().toUpperCase()],
  ])('%s is a messageId, kept as sent', async (_name, messageId) => {
    const { ask, read } = await newConversation();
    expect((await ask({ role: 'consumer', plaintext: 'x', messageId })).json.messageId).toBe(messageId);
    expect((await read()).messages[0].messageId).toBe(messageId);
  });

  test('null beside the form that is meant counts as missing', async () => {
    const { ask } = await newConversation();
    expect((await ask({ role: 'consumer', plaintext: 'x', encrypted: null, signature: null })).status).toBe(
      201,
    );
    expect((await ask({ ...encryptedMessage('consumer'), plaintext: null })).status).toBe(201);
  });

  test('text is kept to the byte', async () => {
    const plaintext = '\u0001\r\n\u2028 e\u0301é \ufeff \uffff 🙈 "\\ ';
    const { ask, read } = await newConversation();
    await ask({ role: 'consumer', plaintext });
    expect((await read()).messages[0].plaintext).toBe(plaintext);
  });

  test('blobs of no length are as opaque as others', async () => {
    const { ask } = await newConversation();
    const empty = { iv: '', ciphertext: '', tag: '', ephemeralPublicKey: '' };
    expect((await ask({ role: 'consumer', encrypted: empty, signature: 'AA==' })).status).toBe(201);
  });
});

test(row('decisions', 'bodies of key exchange, send, close'), async () => {
  const { requestId, refCode, ask, reply } = await newConversation();
  const asked = await ask({ role: 'consumer', plaintext: 'x' });
  expect(asked.json).toEqual({
    requestId,
    refCode,
    status: 'pending',
    messageId: expect.any(String),
    role: 'consumer',
    createdAt: expect.any(String),
  });
  expect((await reply({ role: 'provider', plaintext: 'x' })).json.status).toBe('responded');
  const closed = await setup.alice.provider.post(`/api/v1/close/${requestId}`);
  expect(closed.json).toEqual({ requestId, refCode, status: 'closed', closedAt: expect.any(String) });
});

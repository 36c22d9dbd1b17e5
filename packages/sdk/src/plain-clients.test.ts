import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { makeAgentKeys } from './crypto/agent-keys.ts';
import { toBase64 } from './crypto/base64.ts';
import { toUtf8, tuple } from './crypto/bytes.ts';
import { deriveAesKey, importSecret } from './crypto/hkdf.ts';
import { makeRoot } from './crypto/index.ts';
import { digestConversation } from './crypto/key-exchange.ts';
import { signedBytes } from './crypto/message.ts';
import { parsePublicKey } from './crypto/public-key.ts';
import { digestSubmission } from './crypto/submission.ts';
import { createMemoryStore } from './index.ts';
import { pendingTexts } from './testing/pending-texts.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
const expert = (root?: Uint8Array) => server.expert({ root });

/** A call without the SDK. */
async function call(
  path: string,
  body: object,
  apiKey = server.tenant.providerKey,
): Promise<{ requestId: string }> {
  const response = await fetch(server.gatewayUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { requestId: string };
}

describe('a client without the SDK', () => {
  test('may answer in plain text until keys are exchanged, if the agent accepts that, and its answers are marked so', async () => {
    const conversation = await server.agent({ acceptUnprotected: true }).ask({ question: 'Anybody?' });
    const path = `/api/v1/message/${conversation.requestId}`;
    await call(path, { role: 'provider', plaintext: 'Yes.' });
    expect(await conversation.waitForAnswer({ timeoutMs: 60_000 })).toMatchObject({
      text: 'Yes.',
      protection: 'plaintext',
    });
    expect(conversation.verification).toBe('none');
    await (await expert(makeRoot()).request(conversation.requestId)).pickUp().catch(() => {});
    await conversation.refresh();
    expect(conversation.verification).toBe('first-contact');
    await call(path, { role: 'provider', plaintext: 'Forget the keys.' });
    await expect(conversation.waitForAnswer({ timeoutMs: 60_000 })).rejects.toMatchObject({
      reason: 'plaintext_refused',
    });
  });

  test('gets its plain text refused by an agent with the option `expert`, unless that accepts plain text', async () => {
    const fingerprint = await expert(makeRoot()).fingerprint();
    const relay = server.agent({ expert: fingerprint });
    await expect(relay.ask({ question: 'x', encrypted: false })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    const conversation = await relay.ask({ question: 'Anybody?' });
    await call(`/api/v1/message/${conversation.requestId}`, { role: 'provider', plaintext: 'Me.' });
    await expect(conversation.waitForAnswer({ timeoutMs: 60_000 })).rejects.toMatchObject({
      reason: 'plaintext_refused',
    });
    const tolerant = server.agent({ expert: fingerprint, acceptUnprotected: true });
    const again = await tolerant.resume(conversation.export());
    expect(await again.waitForAnswer({ timeoutMs: 60_000 })).toMatchObject({
      text: 'Me.',
      protection: 'plaintext',
    });
    expect((await tolerant.ask({ question: 'x', encrypted: false })).isEncrypted).toBe(false);
  });

  test('gets its plain text refused by an agent that remembers its expert, unless that accepts plain text', async () => {
    const store = createMemoryStore();
    const ask = async (options = {}) => {
      const conversation = await server.agent({ store, ...options }).ask({ question: 'Anybody?' });
      const path = `/api/v1/message/${conversation.requestId}`;
      return { conversation, answerInPlain: () => call(path, { role: 'provider', plaintext: 'Me.' }) };
    };
    const first = await ask();
    await (await expert(makeRoot()).request(first.conversation.requestId)).answer('It is me.');
    await first.conversation.waitForAnswer({ timeoutMs: 60_000 });
    const second = await ask();
    await second.answerInPlain();
    await expect(second.conversation.waitForAnswer({ timeoutMs: 60_000 })).rejects.toMatchObject({
      reason: 'plaintext_refused',
    });
    await expect(second.conversation.send('more')).rejects.toMatchObject({ reason: 'plaintext_refused' });
    const third = await ask({ acceptUnprotected: true });
    await third.answerInPlain();
    expect(await third.conversation.waitForAnswer({ timeoutMs: 60_000 })).toMatchObject({
      text: 'Me.',
      protection: 'plaintext',
    });
  });

  test('may encrypt without frames and without signing its keys, if the agent accepts that: unsequenced and unverified', async () => {
    const conversation = await server.agent({ acceptUnprotected: true }).ask({ question: 'Anybody?' });
    const { requestId } = conversation;
    const [own, { consumerSignPubKey, consumerEncryptPubKey }] = [
      await makeAgentKeys(),
      (await (
        await fetch(`${server.gatewayUrl}/api/v1/messages/${requestId}`, {
          headers: { 'x-api-key': server.tenant.providerKey },
        })
      ).json()) as { consumerSignPubKey: string; consumerEncryptPubKey: string },
    ];
    await call(`/api/v1/key-exchange/${requestId}`, {
      providerSignPubKey: own.signPublic.pem,
      providerEncryptPubKey: own.encryptPublic.pem,
    });
    const consumer = {
      sign: parsePublicKey(consumerSignPubKey, 'sign'),
      encrypt: parsePublicKey(consumerEncryptPubKey, 'encrypt'),
    };
    const provider = { sign: own.signPublic, encrypt: own.encryptPublic };
    const submissionDigest = await digestSubmission({
      refCode: conversation.refCode,
      agentVersions: '4',
      question: 'Anybody?',
    });
    const keys = { consumer, provider };
    const bound = await digestConversation(requestId, keys, submissionDigest, undefined);
    const messageId = crypto.randomUUID();
    const key = await deriveAesKey(
      await importSecret(await own.agree(consumer.encrypt)),
      toUtf8(messageId),
      tuple('expert-relay/v4/message-key', bound, 'provider'),
    );
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const sealed = new Uint8Array(
      await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, toUtf8('Plainly.')),
    );
    const [ciphertext, tag] = [sealed.slice(0, -16), sealed.slice(-16)];
    const ephemeralPublicKey = own.encryptPublic.raw;
    const message = { messageId, role: 'provider' as const, iv, ciphertext, tag, ephemeralPublicKey };
    await call(`/api/v1/message/${requestId}`, {
      role: 'provider',
      messageId,
      encrypted: {
        iv: toBase64(iv),
        ciphertext: toBase64(ciphertext),
        tag: toBase64(tag),
        ephemeralPublicKey: toBase64(ephemeralPublicKey),
      },
      signature: toBase64(
        await own.sign(signedBytes(tuple('expert-relay/v4/message', bound, 'provider'), message)),
      ),
    });
    expect(await conversation.waitForAnswer({ timeoutMs: 60_000 })).toMatchObject({
      text: 'Plainly.',
      protection: 'unsequenced',
    });
    expect(conversation.verification).toBe('unverified');
    expect(conversation.fingerprint).toBeUndefined();
    expect(await conversation.send('Thanks.')).toMatchObject({ isSent: true });
  });

  test('may ask without keys, and gets plain answers from experts with and without a root', async () => {
    const conversation = await server.agent().ask({ question: 'Anybody?', encrypted: false });
    expect(await conversation.send('Hello? "\u{1f642}"')).toMatchObject({ isSent: true });
    const request = await expert().request(conversation.refCode.toLowerCase());
    expect(request).toMatchObject({ encrypted: false, plaintext: 'Anybody?' });
    for await (const message of request.messages) {
      expect(message).toMatchObject({
        from: 'agent',
        text: 'Hello? "\u{1f642}"',
        protection: 'plaintext',
      });
      break;
    }
    await request.answer('One.');
    const withRoot = await expert(makeRoot()).request(conversation.requestId);
    await withRoot.pickUp();
    await takeMessages(withRoot);
    expect(withRoot.isPickedUp).toBe(false);
    await expect(withRoot.answer('Two.')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(pendingTexts(withRoot)).toEqual([]);
    await withRoot.answer('Two.', { plaintext: true });
    const texts = [await conversation.waitForAnswer(), await conversation.waitForAnswer()];
    expect(texts.map(({ text, protection }) => [text, protection])).toEqual([
      ['One.', 'plaintext'],
      ['Two.', 'plaintext'],
    ]);
    expect(conversation.isEncrypted).toBe(false);
  });
});

test('an expert without a root answers in plain text, if the agent has keys, only with the option `plaintext`', async () => {
  const conversation = await server.agent({ acceptUnprotected: true }).ask({ question: 'Anybody?' });
  const request = await expert().request(conversation.requestId);
  expect(request).toMatchObject({ encrypted: true, isPickedUp: false });
  await expect(request.answer('One.')).rejects.toMatchObject({
    code: 'no_keys_yet',
    message: expect.stringMatching(/`root`.*`plaintext: true`/),
  });
  await request.refresh();
  expect(request).toMatchObject({ pending: [], responseCount: 0 });
  await request.answer('Two.', { plaintext: true });
  expect(await conversation.waitForAnswer({ timeoutMs: 60_000 })).toMatchObject({
    text: 'Two.',
    protection: 'plaintext',
  });
});

test('an expert keeps a plain answer that the relay has refused, and sends it again by its id', async () => {
  const conversation = await server.agent().ask({ question: 'Anybody?', encrypted: false });
  let isRefused = true;
  const refusing: typeof fetch = async (input, init) =>
    isRefused && String(input).includes('/message/')
      ? Response.json({ error: 'invalid_input' }, { status: 400 })
      : await fetch(input, init);
  const request = await server.expert({ fetch: refusing }).request(conversation.requestId);
  const messageId = crypto.randomUUID();
  await expect(request.answer('One.', { messageId })).rejects.toMatchObject({ code: 'invalid_input' });
  expect(request.pending).toMatchObject([
    { messageId, text: 'One.', state: 'refused', code: 'invalid_input' },
  ]);
  isRefused = false;
  await request.answer('Two.');
  expect(pendingTexts(request)).toEqual(['One.']);
  expect(await request.answer('', { messageId })).toEqual({ messageId, isSent: true });
  const texts = [await conversation.waitForAnswer(), await conversation.waitForAnswer()];
  expect(texts.map(({ text }) => text)).toEqual(['Two.', 'One.']);
});

describe('an expert', () => {
  test('gets each open request once: first the existing ones, then new ones', async () => {
    const own = await server.constellation.makeTenant();
    const relay = server.agent({ apiKey: own.consumerKey });
    const existing = [];
    for (const question of ['a', 'b', 'c']) existing.push(await relay.ask({ question }));
    await existing[1]?.close();
    const other = server.expert({ apiKey: own.providerKey, root: makeRoot() });
    const got: string[] = [];
    const left = new AbortController();
    const listening = (async () => {
      for await (const request of other.requests({ signal: left.signal })) got.push(request.question);
    })();
    await eventually('the existing ones', () => got.length === 2);
    await relay.ask({ question: 'd' });
    await relay.ask({ question: 'e' });
    await eventually('new ones', () => got.length === 4);
    left.abort();
    await expect(listening).rejects.toMatchObject({ code: 'aborted' });
    expect(got).toEqual(['a', 'c', 'd', 'e']);
    other.stop();
    expect(() => other.stop()).not.toThrow();
  });

  test('may answer from two devices and after restarts, and is remembered by the agent', async () => {
    const root = makeRoot();
    const store = createMemoryStore();
    const relay = server.agent({ store });
    const conversation = await relay.ask({ question: 'Anybody?' });
    const [one, two] = [
      await expert(root).request(conversation.requestId),
      await expert(root).request(conversation.requestId),
    ];
    await Promise.all([one.pickUp(), two.pickUp()]);
    await Promise.all([one.answer('1'), two.answer('2')]);
    await (await expert(root).request(conversation.requestId)).answer('3');
    const texts: string[] = [];
    for (let at = 0; at < 3; at += 1)
      texts.push((await conversation.waitForAnswer({ timeoutMs: 60_000 })).text);
    expect(texts.slice(0, 2).sort()).toEqual(['1', '2']);
    expect(texts[2]).toBe('3');
    expect(conversation.verification).toBe('first-contact');
    expect(conversation.verify((await expert(makeRoot()).fingerprint()) ?? '')).toBe(false);
    expect(conversation.verify((await expert(root).fingerprint()) ?? '')).toBe(true);
    expect(conversation.verification).toBe('known');

    const second = await server.agent({ store }).ask({ question: 'You again?' });
    await (await expert(root).request(second.requestId)).answer('Me again.');
    await second.waitForAnswer({ timeoutMs: 60_000 });
    expect(second.verification).toBe('known');
    const third = await server.agent({ store }).ask({ question: 'You again?' });
    await (await expert(makeRoot()).request(third.requestId)).answer('Somebody else.');
    await expect(third.waitForAnswer({ timeoutMs: 60_000 })).rejects.toMatchObject({
      reason: 'unknown_expert',
    });
    await expect(third.send('Hello?')).rejects.toMatchObject({ reason: 'unknown_expert' });
    await expect((await expert(makeRoot()).request(second.requestId)).answer('x')).rejects.toMatchObject({
      reason: 'keys_changed',
    });
    await expect((await expert().request(second.requestId)).answer('x')).rejects.toMatchObject({
      code: 'no_keys_yet',
    });
  });

  test('can send texts with any characters, and of any size up to the limit', async () => {
    const conversation = await server.agent().ask({ question: 'Anybody?' });
    const request = await expert(makeRoot()).request(conversation.requestId);
    const planes = Array.from({ length: 17 }, (_, plane) =>
      String.fromCodePoint(plane * 0x10000 + 0x41),
    ).join('');
    const long = '\u{1f512}'.repeat(190_000);
    for (const text of [planes, '\ufeff\0\u{10ffff}', long]) await request.answer(text);
    for (const text of [planes, '\ufeff\0\u{10ffff}', long]) {
      expect((await conversation.waitForAnswer({ timeoutMs: 60_000 })).text === text).toBe(true);
    }
    await expect(conversation.send('x'.repeat(800_000))).rejects.toMatchObject({
      reason: 'message_too_large',
    });
    await expect(conversation.send('half \ud800')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(conversation.send('')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(conversation.unsent).toEqual([]);
  });
});

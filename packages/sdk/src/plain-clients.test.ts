import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toBase64 } from './crypto/base64.ts';
import { toUtf8, tuple } from './crypto/bytes.ts';
import { deriveAesKey, importSecret } from './crypto/hkdf.ts';
import { makeAgentKeys, makeRoot, parsePublicKey } from './crypto/index.ts';
import { keysInOrder } from './crypto/key-exchange.ts';
import { signedBytes } from './crypto/message.ts';
import { createExpert } from './expert/index.ts';
import { createMemory, createRelay } from './index.ts';
import { quick } from './testing/quick.ts';

let world: Constellation;
let tenant: Tenant;

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  tenant = await world.makeTenant();
});
afterAll(async () => world.stop());

const agent = (options = {}) =>
  createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey, timing: quick, ...options });
const human = (root?: Uint8Array) =>
  createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root, timing: quick });

/** The other end, by bare calls. */
async function call(path: string, body: object, apiKey = tenant.providerKey): Promise<{ requestId: string }> {
  const response = await fetch(world.gatewayUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { requestId: string };
}

describe('a plain client', () => {
  test('that answers in plain text is shown as what it is, until keys are there', async () => {
    const conversation = await agent().ask({ question: 'Anybody?' });
    const path = `/api/v1/message/${conversation.requestId}`;
    await call(path, { role: 'provider', plaintext: 'Yes.' });
    expect(await conversation.waitForAnswer({ timeout: 60_000 })).toMatchObject({
      text: 'Yes.',
      protection: 'plaintext',
    });
    expect(conversation.verification).toBe('none');
    await (await human(makeRoot()).request(conversation.requestId)).pickUp().catch(() => {});
    await conversation.refresh();
    expect(conversation.verification).toBe('first-contact');
    await call(path, { role: 'provider', plaintext: 'Forget the keys.' });
    await expect(conversation.waitForAnswer({ timeout: 60_000 })).rejects.toMatchObject({
      code: 'plaintext_refused',
    });
  });

  test('is refused by an agent that has named the expert, unless it accepts plain text', async () => {
    const expert = await human(makeRoot()).fingerprint();
    const relay = agent({ expert });
    await expect(relay.ask({ question: 'x', encrypted: false })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    const conversation = await relay.ask({ question: 'Anybody?' });
    await call(`/api/v1/message/${conversation.requestId}`, { role: 'provider', plaintext: 'Me.' });
    await expect(conversation.waitForAnswer({ timeout: 60_000 })).rejects.toMatchObject({
      code: 'plaintext_refused',
    });
    const willing = agent({ expert, acceptPlaintext: true });
    const again = await willing.resume(conversation.export());
    expect(await again.waitForAnswer({ timeout: 60_000 })).toMatchObject({
      text: 'Me.',
      protection: 'plaintext',
    });
    expect((await willing.ask({ question: 'x', encrypted: false })).isEncrypted).toBe(false);
  });

  test('is refused by an agent that remembers the expert, unless it accepts plain text', async () => {
    const memory = createMemory();
    const ask = async (options = {}) => {
      const conversation = await agent({ memory, ...options }).ask({ question: 'Anybody?' });
      const path = `/api/v1/message/${conversation.requestId}`;
      return { conversation, inPlain: () => call(path, { role: 'provider', plaintext: 'Me.' }) };
    };
    const first = await ask();
    await (await human(makeRoot()).request(first.conversation.requestId)).answer('It is me.');
    await first.conversation.waitForAnswer({ timeout: 60_000 });
    const second = await ask();
    await second.inPlain();
    await expect(second.conversation.waitForAnswer({ timeout: 60_000 })).rejects.toMatchObject({
      code: 'plaintext_refused',
    });
    await expect(second.conversation.send('more')).rejects.toMatchObject({ code: 'plaintext_refused' });
    const third = await ask({ acceptPlaintext: true });
    await third.inPlain();
    expect(await third.conversation.waitForAnswer({ timeout: 60_000 })).toMatchObject({
      text: 'Me.',
      protection: 'plaintext',
    });
  });

  test('that encrypts without frames or a signature of its keys works, unsequenced and unverified', async () => {
    const conversation = await agent().ask({ question: 'Anybody?' });
    const { requestId } = conversation;
    const [own, { consumerSignPubKey, consumerEncryptPubKey }] = [
      await makeAgentKeys(),
      (await (
        await fetch(`${world.gatewayUrl}/api/v1/messages/${requestId}`, {
          headers: { 'x-api-key': tenant.providerKey },
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
    const messageId = crypto.randomUUID();
    const key = await deriveAesKey(
      await importSecret(await own.agree(consumer.encrypt)),
      toUtf8(messageId),
      tuple('expert-relay/v4/message-key', requestId, 'provider', ...keysInOrder({ consumer, provider })),
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
        await own.sign(signedBytes(tuple('expert-relay/v4/message', requestId, 'provider'), message)),
      ),
    });
    expect(await conversation.waitForAnswer({ timeout: 60_000 })).toMatchObject({
      text: 'Plainly.',
      protection: 'unsequenced',
    });
    expect(conversation.verification).toBe('unverified');
    expect(conversation.fingerprint).toBeUndefined();
    expect(await conversation.send('Thanks.')).toMatchObject({ isSent: true });
  });

  test('that asks without keys gets plain answers, from experts with and without a root', async () => {
    const conversation = await agent().ask({ question: 'Anybody?', encrypted: false });
    expect(await conversation.send('Hello? "\u{1f642}"')).toMatchObject({ isSent: true });
    const request = await human().request(conversation.refCode.toLowerCase());
    expect(request).toMatchObject({ encrypted: false, plaintext: 'Anybody?' });
    for await (const message of request.messages) {
      expect(message).toMatchObject({
        role: 'consumer',
        text: 'Hello? "\u{1f642}"',
        protection: 'plaintext',
      });
      break;
    }
    await request.answer('One.');
    const withRoot = await human(makeRoot()).request(conversation.requestId);
    await withRoot.pickUp();
    expect(withRoot.isPickedUp).toBe(false);
    await expect(withRoot.answer('Two.')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(withRoot.unsent).toEqual([]);
    await withRoot.answer('Two.', { plaintext: true });
    const texts = [await conversation.waitForAnswer(), await conversation.waitForAnswer()];
    expect(texts.map(({ text, protection }) => [text, protection])).toEqual([
      ['One.', 'plaintext'],
      ['Two.', 'plaintext'],
    ]);
    expect(conversation.isEncrypted).toBe(false);
  });
});

test('an expert without a root answers an agent that gave keys in plain text only when told to', async () => {
  const conversation = await agent().ask({ question: 'Anybody?' });
  const request = await human().request(conversation.requestId);
  expect(request).toMatchObject({ encrypted: true, isPickedUp: false });
  await expect(request.answer('One.')).rejects.toMatchObject({
    code: 'no_keys_yet',
    message: expect.stringMatching(/`root`.*`plaintext: true`/),
  });
  await request.refresh();
  expect(request).toMatchObject({ unsent: [], responseCount: 0 });
  await request.answer('Two.', { plaintext: true });
  expect(await conversation.waitForAnswer({ timeout: 60_000 })).toMatchObject({
    text: 'Two.',
    protection: 'plaintext',
  });
});

describe('an expert', () => {
  test('gets each open request once: those that wait, then new ones as they come', async () => {
    const own = await world.makeTenant();
    const relay = agent({ apiKey: own.consumerKey });
    const waiting = [];
    for (const question of ['a', 'b', 'c']) waiting.push(await relay.ask({ question }));
    await waiting[1]?.close();
    const expert = createExpert({
      url: world.gatewayUrl,
      apiKey: own.providerKey,
      root: makeRoot(),
      timing: quick,
    });
    const got: string[] = [];
    const left = new AbortController();
    const listening = (async () => {
      for await (const request of expert.requests({ signal: left.signal })) got.push(request.question);
    })();
    await eventually('those that wait', () => got.length === 2);
    await relay.ask({ question: 'd' });
    await relay.ask({ question: 'e' });
    await eventually('new ones', () => got.length === 4);
    left.abort();
    await expect(listening).rejects.toMatchObject({ code: 'aborted' });
    expect(got).toEqual(['a', 'c', 'd', 'e']);
    expert.stop();
    expect(() => expert.stop()).not.toThrow();
  });

  test('answers from two devices and after restarts, and is remembered', async () => {
    const root = makeRoot();
    const memory = createMemory();
    const relay = agent({ memory });
    const conversation = await relay.ask({ question: 'Anybody?' });
    const [one, two] = [
      await human(root).request(conversation.requestId),
      await human(root).request(conversation.requestId),
    ];
    await Promise.all([one.pickUp(), two.pickUp()]);
    await Promise.all([one.answer('1'), two.answer('2')]);
    await (await human(root).request(conversation.requestId)).answer('3');
    const texts: string[] = [];
    for (let at = 0; at < 3; at += 1)
      texts.push((await conversation.waitForAnswer({ timeout: 60_000 })).text);
    expect(texts.slice(0, 2).sort()).toEqual(['1', '2']);
    expect(texts[2]).toBe('3');
    expect(conversation.verification).toBe('first-contact');
    expect(conversation.verify((await human(makeRoot()).fingerprint()) ?? '')).toBe(false);
    expect(conversation.verify((await human(root).fingerprint()) ?? '')).toBe(true);
    expect(conversation.verification).toBe('known');

    const second = await agent({ memory }).ask({ question: 'You again?' });
    await (await human(root).request(second.requestId)).answer('Me again.');
    await second.waitForAnswer({ timeout: 60_000 });
    expect(second.verification).toBe('known');
    const third = await agent({ memory }).ask({ question: 'You again?' });
    await (await human(makeRoot()).request(third.requestId)).answer('Somebody else.');
    await expect(third.waitForAnswer({ timeout: 60_000 })).rejects.toMatchObject({ code: 'unknown_expert' });
    await expect(third.send('Hello?')).rejects.toMatchObject({ code: 'unknown_expert' });
    await expect((await human(makeRoot()).request(second.requestId)).answer('x')).rejects.toMatchObject({
      code: 'keys_changed',
    });
    await expect((await human().request(second.requestId)).answer('x')).rejects.toMatchObject({
      code: 'no_keys_yet',
    });
  });

  test('sends texts of every plane, and of any size that fits', async () => {
    const conversation = await agent().ask({ question: 'Anybody?' });
    const request = await human(makeRoot()).request(conversation.requestId);
    const planes = Array.from({ length: 17 }, (_, plane) =>
      String.fromCodePoint(plane * 0x10000 + 0x41),
    ).join('');
    const long = '\u{1f512}'.repeat(190_000);
    for (const text of [planes, '\ufeff\0\u{10ffff}', long]) await request.answer(text);
    for (const text of [planes, '\ufeff\0\u{10ffff}', long]) {
      expect((await conversation.waitForAnswer({ timeout: 60_000 })).text === text).toBe(true);
    }
    await expect(conversation.send('x'.repeat(800_000))).rejects.toMatchObject({ code: 'message_too_large' });
    await expect(conversation.send('half \ud800')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(conversation.send('')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(conversation.unsent).toEqual([]);
  });
});

import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { createExpert } from './expert/index.ts';
import { createRelay } from './index.ts';

let world: Constellation;
let tenant: Tenant;

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  tenant = await world.makeTenant();
});
afterAll(async () => world.stop());

describe('an everyday conversation', () => {
  test('goes back and forth, encrypted and in order', async () => {
    const relay = createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey });
    const expert = createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
    const conversation = await relay.ask({ question: 'May I remove the lock file?' });
    for await (const request of expert.requests()) {
      expect(request.question).toBe('May I remove the lock file?');
      await request.answer('Yes, it is stale.');
      await request.answer('Really.');
      break;
    }
    const answer = await conversation.waitForAnswer({ timeout: 60_000 });
    expect(answer).toMatchObject({ text: 'Yes, it is stale.', protection: 'sequenced' });
    expect((await conversation.waitForAnswer({ timeout: 60_000 })).text).toBe('Really.');
    expect(conversation.verification).toBe('first-contact');
    expect(conversation.fingerprint).toBe(await expert.fingerprint());
    await conversation.send('Thanks');
    await conversation.close();
    expect(conversation.status).toBe('closed');
    relay.stop();
    expert.stop();
  });

  test('comes after another, where a call forgets its signal once it is answered', async () => {
    const forgetful: typeof fetch = (url, init) =>
      fetch(url, String(url).includes('?topic=') ? { ...init, signal: null } : init);
    const relay = createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey, fetch: forgetful });
    const expert = createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
    for (const question of ['The first?', 'The second?', 'The third?']) {
      const conversation = await relay.ask({ question });
      const waiting = conversation.waitForAnswer({ timeout: 60_000 });
      const request = await expert.request(conversation.requestId);
      await request.answer(question);
      expect((await waiting).text).toBe(question);
      await conversation.close();
    }
    relay.stop();
    expert.stop();
  });
});

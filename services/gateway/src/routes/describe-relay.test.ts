import { expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

test('a client that knows only the gateway gets the address of the hub, without a key', async () => {
  const gateway = await startTestGateway({ env: { RELAY_HUB_PUBLIC_URL: 'https://hub.relay.example' } });
  const { status, json } = await ask(gateway.url, { path: '/.well-known/expert-relay' });
  expect(status).toBe(200);
  expect(json).toEqual({
    hubUrl: 'https://hub.relay.example',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  await gateway.stop();
});

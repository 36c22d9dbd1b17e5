import { makeApiKey } from '@expert-relay/kit/api-key';
import { createFakeClock } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { type TestKey, useTestGateway } from '../testing/test-gateway.ts';

const clock = createFakeClock();
const gateway = useTestGateway({
  clock,
  env: {
    RELAY_RATE_LIMIT_API: '2',
    RELAY_RATE_LIMIT_POLL: '1',
    RELAY_RATE_LIMIT_KEY: '3',
    RELAY_TRUSTED_PROXIES: '127.0.0.1',
  },
});
// Longer than a key counts as valid before it is looked up again.
beforeEach(() => clock.advance(600_000));

const office = '192.0.2.1';
const call = (key: string | undefined, path = '/api/v1/whoami', address = office) =>
  ask(gateway.url, {
    path,
    headers: { 'x-forwarded-for': address, ...(key !== undefined && { 'x-api-key': key }) },
  });
const submit = (apiKey: string, header = {}) =>
  ask(gateway.url, {
    method: 'POST',
    path: '/api/v1/help',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': office, ...header },
    body: JSON.stringify({ apiKey, messages: [] }),
  });
const statuses = async (calls: (() => Promise<{ status: number }>)[]) => {
  const got: number[] = [];
  for (const one of calls) got.push((await one()).status);
  return got;
};
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const poll = '/api/v1/help/aaaaaaaaaaaaaaaaaaaaaa';

describe('with a limit for keys,', () => {
  test('each key of an address has its own calls, in the header and in the body', async () => {
    const keys: TestKey[] = [
      gateway.consumer,
      await gateway.makeKey('consumer'),
      await gateway.makeKey('consumer'),
    ];
    for (const { text } of keys) {
      const three = [() => submit(text), () => call(text), () => call(text, poll)];
      expect(await statuses([...three, () => call(text)])).toEqual([200, 200, 200, 429]);
      expect((await submit(text)).status).toBe(429);
    }
    const [{ text }] = keys as [TestKey];
    const refused = await call(text);
    expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"key";q=3;w=60', 'retry-after': '60' });
    expect(refused.json.error).toBe('rate_limited');
    // From another address it is the same key.
    expect((await call(text, poll, '192.0.2.9')).status).toBe(429);
    clock.advance(60_000);
    expect((await call(text)).headers.ratelimit).toBe('"key";r=2;t=60');
  });

  test('calls without a valid key count for the address, before the key is looked up', async () => {
    const lookUps = () => gateway.metric('relay_gateway_auth_failures_total', { reason: 'unknown' });
    const before = await lookUps();
    const guesses = times(5, () => () => call(makeApiKey('consumer').text));
    expect(await statuses(guesses)).toEqual([401, 401, 429, 429, 429]);
    expect((await lookUps()) - before).toBe(2);
    expect(await statuses([() => submit(makeApiKey('consumer').text), () => submit('hs_')])).toEqual([
      429, 429,
    ]);
    expect(await statuses([() => call(undefined, poll), () => call(undefined, poll)])).toEqual([200, 429]);
  });

  test('a key that is in use is served while others at its address guess, and a new one waits', async () => {
    const [used, fresh] = [gateway.consumer.text, (await gateway.makeKey('consumer')).text];
    expect((await call(used)).status).toBe(200);
    clock.advance(61_000);
    await Promise.all(times(4, () => call(makeApiKey('consumer').text)));
    expect((await call(fresh)).status).toBe(429);
    expect(await statuses([() => call(used), () => submit(used, { 'x-api-key': used })])).toEqual([200, 200]);
    // Without the header, its body would have to be received first.
    expect((await submit(used)).status).toBe(429);
  });

  test('a key in the header does not hide guesses in the body', async () => {
    const { text } = gateway.consumer;
    expect((await call(text)).status).toBe(200);
    const guess = () => submit(makeApiKey('consumer').text, { 'x-api-key': text });
    expect(await statuses(times(3, () => guess))).toEqual([401, 401, 429]);
    expect((await call(makeApiKey('consumer').text)).status).toBe(429);
  });

  test('valid calls at the same moment leave the calls of the address as they were', async () => {
    expect(await statuses(times(2, () => () => call(gateway.provider.text)))).toEqual([200, 200]);
    expect((await call(makeApiKey('consumer').text)).headers.ratelimit).toBe('"api";r=1;t=60');
  });
});

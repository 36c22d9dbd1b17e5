import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runExample } from './run-example.ts';

let relay: Constellation;
let expert: Tenant;

beforeAll(async () => {
  // Streams end after one second instead of one hour. The script must reconnect.
  relay = await startConstellation({ env: { RELAY_HUB_STREAM_LIFETIME: '1s' } });
  expert = await relay.makeTenant();
});

afterAll(() => relay.stop());

async function startAgent(question: string) {
  const example = runExample(['bash', 'examples/agent.sh', question], {
    RELAY_URL: relay.gatewayUrl,
    RELAY_API_KEY: expert.consumerKey,
  });
  const [, refCode = ''] = await example.untilPrinted(/Asked as (HS-\w+)\. Waiting/);
  const found = await asExpert('GET', `requests/by-ref/${refCode}`);
  return { example, requestId: found.requestId };
}

async function asExpert(method: string, path: string, body?: object) {
  const response = await fetch(`${relay.gatewayUrl}/api/v1/${path}`, {
    method,
    headers: { 'x-api-key': expert.providerKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as { requestId: string; question: string; status: string };
}

test('examples/agent.sh: asks, waits and prints the answer, with any characters in both texts', async () => {
  const question = 'May I run "rm -rf /tmp/a\\b"?\n\tIt says: plaintext "no" — 🤷';
  const { example, requestId } = await startAgent(question);
  const list = await asExpert('GET', `messages/${requestId}`);
  expect(list.question).toBe(question);

  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const answer = 'Yes, "it" is stale:\n\tC:\\new — ✔ "role":"provider","plaintext":"x" \\" \\n';
  await asExpert('POST', `message/${requestId}`, { role: 'provider', plaintext: answer });
  expect(await example.ended()).toEqual({ code: 0, printed: `${answer}\n` });
  expect(await asExpert('GET', `messages/${requestId}`)).toMatchObject({ status: 'closed' });
});

test('examples/agent.sh: an interrupt closes the request', async () => {
  const { example, requestId } = await startAgent('Anybody there?');
  await example.stop();
  expect(await asExpert('GET', `messages/${requestId}`)).toMatchObject({ status: 'closed' });
});

test('examples/agent.sh: exits with 1 and a message when the request ends without an answer', async () => {
  const { example, requestId } = await startAgent('Anybody there?');
  await asExpert('POST', `close/${requestId}`);
  expect(await example.ended()).toEqual({
    code: 1,
    printed: expect.stringContaining('ended without an answer'),
  });
});

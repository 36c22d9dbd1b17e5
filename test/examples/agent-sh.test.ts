import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runExample } from './run-example.ts';

let relay: Constellation;
let expert: Tenant;

beforeAll(async () => {
  // Streams end after a second, as they do after an hour elsewhere: the script must go on.
  relay = await startConstellation({ env: { RELAY_HUB_STREAM_LIFETIME: '1s' } });
  expert = await relay.makeTenant();
});

afterAll(() => relay.stop());

async function ask(question: string) {
  const example = runExample(['bash', 'examples/agent.sh', question], {
    RELAY_URL: relay.gatewayUrl,
    RELAY_API_KEY: expert.consumerKey,
  });
  const [, refCode = ''] = await example.says(/Asked as (HS-\w+)\. Waiting/);
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

test('the bare curl agent asks, waits and prints the answer, whatever stands in either', async () => {
  const question = 'May I run "rm -rf /tmp/a\\b"?\n\tIt says: plaintext "no" — 🤷';
  const { example, requestId } = await ask(question);
  const list = await asExpert('GET', `messages/${requestId}`);
  expect(list.question).toBe(question);

  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const answer = 'Yes, "it" is stale:\n\tC:\\new — ✔ "role":"provider","plaintext":"x" \\" \\n';
  await asExpert('POST', `message/${requestId}`, { role: 'provider', plaintext: answer });
  expect(await example.ended()).toEqual({ code: 0, printed: `${answer}\n` });
  expect(await asExpert('GET', `messages/${requestId}`)).toMatchObject({ status: 'closed' });
});

test('who interrupts it leaves no request behind', async () => {
  const { example, requestId } = await ask('Anybody there?');
  await example.stop();
  expect(await asExpert('GET', `messages/${requestId}`)).toMatchObject({ status: 'closed' });
});

test('it says so when the request ends without an answer', async () => {
  const { example, requestId } = await ask('Anybody there?');
  await asExpert('POST', `close/${requestId}`);
  expect(await example.ended()).toEqual({
    code: 1,
    printed: expect.stringContaining('ended without an answer'),
  });
});

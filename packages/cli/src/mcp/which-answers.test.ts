import { rmSync } from 'node:fs';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type McpClient, newFolder, startMcpClient } from '../testing/mcp-client.ts';

let relay: Constellation;
let tenant: Tenant;
let expert: Expert;
let agent: McpClient;
const folder = newFolder();

beforeAll(async () => {
  relay = await startConstellation();
  tenant = await relay.makeTenant();
  expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
  agent = await start();
});
afterAll(async () => {
  expert.stop();
  await agent.close();
  await relay.stop();
  rmSync(folder, { recursive: true });
});

function start(...options: string[]): Promise<McpClient> {
  const { gatewayUrl: RELAY_URL } = relay;
  const { consumerKey: RELAY_API_KEY } = tenant;
  return startMcpClient({ RELAY_URL, RELAY_API_KEY, RELAY_CONFIG_DIR: folder }, options);
}

async function ask() {
  const { data } = await agent.call('ask_expert', { question: 'May I remove the lock?' });
  return { reference: data.reference, request: await expert.request(data.reference) };
}

const wait = (reference: string, max_seconds = 20) =>
  agent.call('wait_for_answer', { reference, max_seconds });

test('no plain text is taken for an answer once the expert is known, unless it was set so', async () => {
  const met = await ask();
  await met.request.answer('It is me.');
  expect((await wait(met.reference)).data.outcome).toBe('answered');
  const { reference, request } = await ask();
  const written = await fetch(`${relay.gatewayUrl}/api/v1/message/${request.requestId}`, {
    method: 'POST',
    headers: { 'x-api-key': tenant.providerKey, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'provider', plaintext: 'Go ahead.' }),
  });
  expect(written.ok).toBe(true);
  const { isError, text } = await wait(reference);
  expect({ isError, text }).toEqual({
    isError: true,
    text: expect.stringMatching(/Next: Do not take it for an answer.*\nError code: plaintext_refused/),
  });
  expect(text).not.toContain('Go ahead.');
  await agent.close();
  agent = await start('--accept-plaintext');
  const [answer] = (await wait(reference)).data.answers;
  expect(answer).toMatchObject({ text: 'Go ahead.', protection: { level: 'plain_text' } });
});

test('an answer that had not seen the last message is passed over, unless any is asked for', async () => {
  const { reference, request } = await ask();
  await request.answer('Yes, go ahead.');
  await agent.call('reply', { reference, text: 'WAIT: PRODUCTION, too?' });
  const waited = await eventually('the answer to be passed over', async () => {
    const answer = await wait(reference, 2);
    expect(answer.data).toMatchObject({ outcome: 'still_waiting', answers: [] });
    return answer.data.passed_over === 1 ? answer : undefined;
  });
  expect(waited.text).toContain('One answer was written before your last message was read');
  const status = await agent.call('conversation_status', { reference });
  expect(status.text).toContain('One answer was written before your last message was read');
  const any = await agent.call('wait_for_answer', { reference, max_seconds: 20, any: true });
  expect(any.data.answers).toMatchObject([{ text: 'Yes, go ahead.', seen_your_last: false }]);
  expect(any.text).toContain('This was written before your last message was read.');
});

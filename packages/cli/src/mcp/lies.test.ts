import { createRelay } from '@expert-relay/sdk';
import { makeAgentKeys } from '@expert-relay/sdk/crypto';
import { eventually, type Json, startLyingRelay } from '@expert-relay/testkit';
import { type LieRow, lieOf, readLies } from '@expert-relay/testkit/lies';
import { expect, test } from '@jest/globals';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';
import { nextSteps } from './explain-failure.ts';

const { openSession } = useMcpRelay();

const texts = ['one', 'two', 'three'];
/** How long a wait takes where an answer may not come. */
const uncertainSeconds = 1;

// `ask_expert` submits no plaintext, so there is none to remove.
// No tool takes the name of a question.
const rows = readLies('agent').filter(
  ({ alter, situation }) => alter[0]?.remove?.[0] !== 'plaintext' && situation?.asked?.once === undefined,
);

test.concurrent.each(rows)('to an agent with the MCP server, a lying relay that $name', async (row) => {
  const { situation = {}, expect: expected = {} } = row;
  const session = await openSession();
  const liar = await startLyingRelay(session.relay);
  try {
    const fingerprint = await session.expert.fingerprint();
    const agent = await session.start(
      {
        RELAY_URL: liar.url,
        RELAY_AGENT_NAME: 'deploy bot',
        ...(situation.known && fingerprint !== undefined && { RELAY_EXPERT: fingerprint }),
      },
      // Calls whose answers are all invalid would be repeated for longer than a wait takes.
      expected.code === 'unexpected_answer' ? { bundle: { quick: 'limits' } } : {},
    );
    const values = await valuesFor(row, session);
    const lie = lieOf(row.alter, values);
    let sent = 0;
    liar.tell({
      ...lie,
      call(call) {
        if (call.method === 'POST' && call.path.includes('/message/')) sent += 1;
        lie.call?.(call);
      },
    });

    const { question = 'May I?', confidential, messages, expiresIn } = situation.asked ?? {};
    const asking = { question, confidential, context: messages, idempotency_key: 'lie' };
    const input = { ...asking, expires_in_seconds: expiresIn };
    let asked = await agent.call('ask_expert', input);
    // With quick limits, a busy machine may leave no time for the answer.
    while (asked.text.endsWith('\nError code: unreachable')) asked = await agent.call('ask_expert', input);
    expect(asked.isError).toBe(expected.stopsAtSubmit === true);
    if (expected.stopsAtSubmit) expect(asked.text.split('\n').slice(1)).toEqual(refusalOf(expected.code));
    if (expected.stopsAtSubmit) return;

    const given: Json[] = [];
    let [code, failure] = ['', ''];
    const wait = async (max_seconds: number) => {
      const input = { reference: asked.data.reference, max_seconds, any: true };
      const { isError, text, data } = await agent.call('wait_for_answer', input);
      if (data?.outcome === 'answered') given.push(...data.answers);
      if (['closed', 'expired'].includes(data?.outcome)) code = `conversation_${data.outcome}`;
      if (!isError) return;
      const [, found = ''] = /\nError code: (\w+)$/.exec(text) ?? [];
      // The server may have had no time to ask the relay.
      if (found !== 'unreachable') [code, failure] = [found, text];
    };
    const request = await session.expert.request(await newestRequest(session));
    const count = expected.after ?? (expected.code ? 0 : texts.length);
    await request.pickUp();
    for (const [index, text] of texts.entries()) {
      await request.answer(text);
      if (situation.all || code) continue;
      if (index < count) await eventually(text, () => wait(50).then(() => given.length > index || code));
      else await wait(uncertainSeconds);
    }
    await eventually('the end', async () => {
      if (given.length < texts.length && !code) await wait(50);
      return given.length === texts.length || code;
    });
    // A relay that has told the truth until then may say that it has ended.
    if (given.length === texts.length && expected.code?.startsWith('conversation_')) await wait(50);

    if (code || !isGoneLater(row)) expect(code).toBe(expected.code ?? '');
    if (failure) expect(failure.split('\n').slice(1)).toEqual(refusalOf(code));
    const level = situation.known ? 'verified' : 'first_contact';
    const atMost = expected.upTo === undefined ? count : Math.min(given.length, expected.upTo);
    const arrived = code === (expected.code ?? '') ? atMost : texts.length;
    expect(given).toMatchObject(
      texts.slice(0, arrived).map((text) => ({ text, protection: { level }, seen_your_last: true })),
    );
    expect(given).toHaveLength(arrived);
    // Only a confidential question is sent as a message, and only to keys that were accepted.
    if (code) expect(sent).toBe(0);

    // The stored messages have nothing of the relay's.
    liar.tell({});
    const { data } = await agent.call('conversation_status', {
      reference: asked.data.reference,
      transcript: true,
    });
    const transcript = (data?.conversations[0].transcript ?? []) as Json[];
    for (const { text } of transcript) expect([question, ...texts]).toContain(text);
  } finally {
    await session.stop();
    await liar.stop();
  }
});

/**
 * Whether the lie is told only with messages that were accepted. A call that has delivered these reads on behind them, and
 * gets the others in order.
 */
const isGoneLater = ({ alter: [one] }: LieRow) =>
  one?.copy !== undefined || (typeof one?.messages === 'object' && 'swap' in one.messages);

/** A refusal is one sentence about what happened, what to do, and the code: it shows nothing of what was refused. */
const refusalOf = (code = '') => [
  `Next: ${nextSteps[code as keyof typeof nextSteps]}`,
  `Error code: ${code}`,
];

async function newestRequest({ relay, tenant }: McpSession): Promise<string> {
  const response = await fetch(`${relay.gatewayUrl}/api/v1/requests?limit=1`, {
    headers: { 'x-api-key': tenant.providerKey },
  });
  const { requests } = (await response.json()) as { requests: { requestId: string }[] };
  return requests[0]?.requestId ?? '';
}

/** What a lie uses: docs/lies.md. */
async function valuesFor({ alter, situation }: LieRow, session: McpSession) {
  const needs = (name: string) => JSON.stringify(alter).includes(`"$${name}`);
  const { signPublic, encryptPublic } = await makeAgentKeys();
  if (situation?.askedBefore) await session.agent.call('ask_expert', { question: 'Something before?' });
  const requestId = situation?.askedBefore ? await newestRequest(session) : '';
  const earlier = requestId
    ? { requestId, refCode: (await session.listed(requestId)).refCode as string }
    : undefined;
  return {
    attacker: { sign: signPublic.pem, encrypt: encryptPublic.pem },
    ...(earlier && { earlier }),
    ...(needs('other') && { other: await makeOtherConversation(session) }),
  };
}

async function makeOtherConversation(session: McpSession) {
  const { relay, tenant, expert } = session;
  const agent = createRelay({ url: relay.gatewayUrl, apiKey: tenant.consumerKey });
  const conversation = await agent.ask({ question: 'Something else?' });
  const request = await expert.request(conversation.requestId);
  for (const text of texts) await request.answer(text);
  for (const text of texts) await conversation.send(text);
  agent.stop();
  const { messages } = (await session.listed(conversation.requestId)) as { messages: Json[] };
  const of = (side: string) => messages.filter(({ role }) => role === side);
  return { consumer: of('consumer'), provider: of('provider') };
}

import { makeAgentKeys } from '@expert-relay/sdk/crypto/wire';
import { eventually, type Json, startLyingRelay } from '@expert-relay/testkit';
import { type ExpectedError, type LieRow, lieOf, readLies } from '@expert-relay/testkit/lies';
import { expect, test } from '@jest/globals';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';
import { nextSteps } from './explain-failure.ts';

const { openSession } = useMcpRelay();

const texts = ['one', 'two', 'three'];
/** How long a wait takes where an answer may not come. */
const uncertainSeconds = 1;

/** The SDK, which the server uses, is tested with all lies: packages/sdk/src/lies. Of what it says, each kind of end is here. */
const names = [undefined, 'unknown_expert', 'question_altered', 'malformed_message', 'closed'];
const nameOf = (error: ExpectedError | undefined) => error?.reason ?? error?.code;
const rows = names.map(
  (name) => readLies('agent').find(({ expect: expected }) => nameOf(expected?.error) === name) as LieRow,
);

test.concurrent.each(rows)('to an agent with the MCP server, a lying relay that $name', async (row) => {
  const { situation = {}, expect: expected = {} } = row;
  const session = await openSession();
  const liar = await startLyingRelay(session.relay);
  try {
    const fingerprint = await session.expert.fingerprint();
    const agent = await session.start({
      RELAY_URL: liar.url,
      RELAY_AGENT_NAME: 'deploy bot',
      ...(situation.known && fingerprint !== undefined && { RELAY_EXPERT: fingerprint }),
    });
    const { signPublic, encryptPublic } = await makeAgentKeys();
    const lie = lieOf(row.alter, { attacker: { sign: signPublic.pem, encrypt: encryptPublic.pem } });
    let sent = 0;
    liar.tell({
      ...lie,
      call(call) {
        if (call.method === 'POST' && call.path.includes('/message/')) sent += 1;
        lie.call?.(call);
      },
    });

    const { question = 'May I?', messages } = situation.asked ?? {};
    const asked = await agent.call('ask_expert', { question, context: messages });
    expect(asked.isError).toBe(expected.stopsAtSubmit === true);
    if (expected.stopsAtSubmit) expect(asked.text.split('\n').slice(1)).toEqual(refusalOf(expected.error));
    if (expected.stopsAtSubmit) return;

    const given: Json[] = [];
    let [code, failure] = ['', ''];
    const wait = async (max_seconds: number) => {
      const input = { reference: asked.data.reference, max_seconds, include_early: true };
      const { isError, text, data } = await agent.call('wait_for_answer', input);
      if (data?.outcome === 'answered') given.push(...data.answers);
      if (['closed', 'expired'].includes(data?.outcome)) code = data.outcome;
      if (!isError) return;
      const [, found = ''] = /\nError code: (.+)$/.exec(text) ?? [];
      // The server may have had no time to ask the relay.
      if (!found.includes('unreachable')) [code, failure] = [found, text];
    };
    const request = await session.expert.request(await newestRequest(session));
    const count = expected.after ?? (expected.error ? 0 : texts.length);
    await request.pickUp();
    for (const [index, text] of texts.entries()) {
      await request.answer(text);
      if (code) continue;
      if (index < count) await eventually(text, () => wait(50).then(() => given.length > index || code));
      else await wait(uncertainSeconds);
    }
    await eventually('the end', async () => {
      if (given.length < texts.length && !code) await wait(50);
      return given.length === texts.length || code;
    });
    // A relay that has told the truth until then may say that it has ended.
    if (given.length === texts.length && expected.error?.code === 'closed') await wait(50);

    expect(code).toBe(shown(expected.error));
    if (failure) expect(failure.split('\n').slice(1)).toEqual(refusalOf(expected.error));
    const level = situation.known ? 'verified' : 'first_contact';
    expect(given).toMatchObject(
      texts.slice(0, count).map((text) => ({ text, protection: { level }, seen_your_last: true })),
    );
    expect(given).toHaveLength(count);
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

const shown = (error?: ExpectedError) =>
  error ? (error.reason ? `${error.code} (${error.reason})` : error.code) : '';

/** A refusal is one sentence about what happened, what to do, and the code: it shows nothing of what was refused. */
const refusalOf = (error?: ExpectedError) => {
  const steps: Readonly<Record<string, string>> = nextSteps;
  return [`Next: ${steps[error?.reason ?? ''] ?? steps[error?.code ?? '']}`, `Error code: ${shown(error)}`];
};

async function newestRequest({ relay, tenant }: McpSession): Promise<string> {
  const response = await fetch(`${relay.gatewayUrl}/api/v1/requests?limit=1`, {
    headers: { 'x-api-key': tenant.providerKey },
  });
  const { requests } = (await response.json()) as { requests: { requestId: string }[] };
  return requests[0]?.requestId ?? '';
}

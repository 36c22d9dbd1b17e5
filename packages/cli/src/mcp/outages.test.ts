import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExpert } from '@expert-relay/sdk/expert';
import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { type McpSession, useMcpRelay } from '../testing/mcp-session.ts';
import { resultKey } from './tools/tool.ts';

const { withClient, withSession } = useMcpRelay();
const question = 'May I remove the lock?';

/** Asks with the last client, without the expert's side. */
const ask = async ({ agent }: McpSession, input: object = {}) =>
  (await agent.call('ask_expert', { question, ...input })).data;

async function answer({ relay, tenant }: McpSession, reference: string, text: string): Promise<void> {
  const expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey });
  await (await expert.request(reference)).answer(text, { plaintext: true });
  expert.stop();
}

const occurrences = (text: string, part: string) => text.split(part).length - 1;

describe('when the relay cannot be reached', () => {
  test.concurrent.each(['refuses connections', 'drops all packets'])(
    'because it %s, a wait says so and returns no answers',
    (how) =>
      withSession(async (session) => {
        const { proxy, wait } = session;
        const agent = await session.start({}, { args: ['--accept-unprotected'] });
        const { reference } = await ask(session);
        if (how === 'drops all packets') proxy.hold();
        else await proxy.cut();
        // A wait that was stalled until shortly before its end cannot know it yet.
        const { isError, data, text } = await eventually('a wait that says so', async () => {
          const answer = await wait(reference, 5);
          return answer.data?.outcome === 'still_waiting' || answer.isError ? undefined : answer;
        });
        expect({ isError, data }).toMatchObject({
          isError: false,
          data: { outcome: 'unreachable', reference, answers: [] },
        });
        expect(text).toMatch(
          /^Outcome: unreachable\nWhether the expert has answered HS-\w+ is not known\. The relay/,
        );
        expect(text).not.toContain('no new answer');
        await proxy.restore();
        await answer(session, reference, 'Yes.');
        expect((await wait(reference, 50)).data.answers).toMatchObject([{ text: 'Yes.' }]);
        if (how === 'drops all packets') return;
        // stderr may arrive later than the answer.
        await eventually('the end of the outage', () => agent.errors().includes('answers again'));
        expect(occurrences(agent.errors(), 'cannot be reached')).toBe(1);
        expect(occurrences(agent.errors(), 'answers again')).toBe(1);
      })(),
  );

  test.concurrent(
    'a question that may have arrived is listed under its id, and can be continued',
    withClient(async ({ agent, proxy, waitWithoutAnswer }) => {
      await proxy.cut();
      const failed = await agent.call('ask_expert', { question });
      const [id = ''] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(failed.text) ?? [];
      expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('never asks it twice') });
      const listed = await agent.call('conversation_status');
      expect(listed.text).toContain(`${id}: "${question}". It is not known whether it has arrived.`);
      expect(listed.data.conversations).toEqual([{ reference: id, status: 'unconfirmed' }]);
      await proxy.restore();
      const { data } = await waitWithoutAnswer(id);
      expect(data.reference).toMatch(/^HS-/);
      const later = await agent.call('conversation_status');
      expect(later.text).toContain(data.reference);
      expect(later.data.conversations).toMatchObject([{ reference: data.reference, status: 'pending' }]);
    }),
  );
});

test.concurrent(
  'a client that asks for progress is notified every few seconds',
  withClient(async (session) => {
    const { reference } = await ask(session);
    const messages: (string | undefined)[] = [];
    const result = await session.agent.client.callTool(
      { name: 'wait_for_answer', arguments: { reference, max_seconds: 15 } },
      {
        timeout: 240_000,
        onprogress({ progress, total, message }) {
          messages.push(`${progress} of ${total}: ${message}`);
        },
      },
    );
    // A relay that was too busy to answer is "unreachable".
    const outcome = expect.stringMatching(/^(still_waiting|unreachable)$/);
    expect(result._meta?.[resultKey]).toMatchObject({ outcome });
    // A busy machine may send no third one.
    expect(messages.slice(0, 2)).toEqual([
      "0 of 15: Wait for the expert's answer",
      "5 of 15: Wait for the expert's answer",
    ]);
  }),
);

describe('an idempotency key', () => {
  test.concurrent(
    'returns the same conversation, to concurrent calls and after a restart',
    withClient(async (session) => {
      const first = { idempotency_key: 'lock-1' };
      const [one, other] = await Promise.all([ask(session, first), ask(session, first)]);
      expect(other.reference).toBe(one.reference);
      await session.agent.close();
      await session.start();
      expect((await ask(session, first)).reference).toBe(one.reference);
      expect((await ask(session, { idempotency_key: 'lock-2' })).reference).not.toBe(one.reference);
      expect((await session.agent.call('conversation_status')).data.conversations).toHaveLength(2);
    }),
  );

  const first = {
    context: [{ role: 'assistant', content: 'Plan: delete the staging database.' }],
    form: { type: 'object', properties: {} },
    attach: ['plan.sh'],
    expires_in_seconds: 3_600,
    tags: ['staging'],
    idempotency_key: 'plan',
  };
  type Change = { written?: string; [name: string]: unknown };
  const others: Readonly<Record<string, Change>> = {
    question: { question: 'And the second lock?' },
    'message of the context': { context: [{ role: 'assistant', content: 'Plan: delete production.' }] },
    'speaker in the context': { context: [{ ...first.context[0], role: 'user' }] },
    'question without context': { context: undefined },
    form: { form: { type: 'object', properties: { count: { type: 'integer' } } } },
    'question without a form': { form: undefined },
    file: { attach: ['other.sh'] },
    'question without a file': { attach: undefined },
    lifetime: { expires_in_seconds: 7_200 },
    'question without a lifetime': { expires_in_seconds: undefined },
    tag: { tags: ['production'] },
    'question without tags': { tags: undefined },
    'content of a file': { written: 'rm -rf /srv/production' },
  };

  test.concurrent.each([true, false])('belongs to one question (confidential: %s)', (confidential) =>
    withSession(async (session) => {
      const folder = mkdtempSync(join(tmpdir(), 'relay-once-'));
      const write = (text: string) => writeFileSync(join(folder, 'plan.sh'), text);
      write('rm -rf /tmp/cache');
      writeFileSync(join(folder, 'other.sh'), 'rm -rf /tmp/cache');
      const agent = await session.start({}, { args: ['--files', folder] });
      const asked = { question, ...first, confidential };
      const { data, text } = await agent.call('ask_expert', asked);
      expect(text).toContain(`Asked as ${data.reference}. The expert was notified.`);
      const request = await session.expert.request(data.reference);
      await request.pickUp();
      const changes: Readonly<Record<string, Change>> = {
        ...others,
        protection: { confidential: !confidential },
      };
      const taken: string[] = [];
      for (const [what, { written, ...change }] of Object.entries(changes)) {
        if (written) write(written);
        const { isError, text } = await agent.call('ask_expert', { ...asked, ...change });
        if (!isError || !text.includes('This idempotency_key was used for another question'))
          taken.push(what);
      }
      expect(taken).toEqual([]);
      write('rm -rf /tmp/cache');
      await agent.close();
      await session.start({}, { args: ['--files', folder] });
      const again = await session.agent.call('ask_expert', asked);
      expect(again.data.reference).toBe(data.reference);
      expect(again.text).toContain('It was asked before, and is not asked again.');
      expect(again.text).not.toContain('notified');
      rmSync(folder, { recursive: true });
    })(),
  );
});

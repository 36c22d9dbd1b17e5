import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { useMcpRelay } from '../testing/mcp-session.ts';

const { withClient, withSession } = useMcpRelay();

describe('an agent with the MCP server', () => {
  test.concurrent(
    'finds five tools with descriptions',
    withClient(async ({ agent: { client } }) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual([
        'ask_expert',
        'close',
        'conversation_status',
        'reply',
        'wait_for_answer',
      ]);
      for (const { description = '', title } of tools) {
        expect(description.length).toBeGreaterThan(60);
        expect(title).toBeTruthy();
      }
      expect(client.getInstructions()).toContain('wait_for_answer');
      // Each session of a model begins with it.
      expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(8_000);
    }),
  );

  test.concurrent.each([
    [false, '2025-11-25'],
    [true, '2026-07-28'],
  ])('speaks with a client of the newest revision (%s) as well: %s', (isNewest, revision) =>
    withSession(async (session) => {
      const { client } = await session.start({}, { isNewest });
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect((await client.listTools()).tools).toHaveLength(5);
      const { reference, request } = await session.ask();
      await request.answer('Yes.');
      const answered = await session.wait(reference);
      expect(answered.data).toMatchObject({ outcome: 'answered', answers: [{ text: 'Yes.' }] });
    })(),
  );

  test.concurrent(
    'finds a lost reference by its question',
    withClient(async ({ agent, ask }) => {
      const long = `${'x'.repeat(99)}\u{1f512} and more`;
      const asked = ['May I remove the lock?', 'Two lines:\nthe second', long];
      const references: string[] = [];
      for (const question of asked) references.push((await ask({ question })).reference);
      const { text } = await agent.call('conversation_status');
      const shown = ['"May I remove the lock?"', '"Two lines:…"', `"${'x'.repeat(99)}\ufffd…"`];
      for (const [at, question] of shown.entries())
        expect(text).toContain(`${references[at]}: ${question}, pending, ends `);
    }),
  );

  test.concurrent(
    'reads in the error which arguments there are, when it gives another one',
    withClient(async ({ agent }) => {
      for (const [tool, input, sentence] of [
        [
          'ask_expert',
          { question: 'May I?', fom: {} },
          'There is no argument fom. Nothing was done. Arguments: question, context, form,',
        ],
        [
          'conversation_status',
          { ref: 'HS-00000000' },
          'There is no argument ref. Nothing was done. Arguments: reference, transcript.',
        ],
      ] as const) {
        const { isError, text } = await agent.call(tool, input);
        expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(sentence) });
      }
      expect((await agent.call('conversation_status')).data.conversations).toEqual([]);
    }),
  );

  test.concurrent(
    'finds in the list what was closed since it was last seen, also after a restart',
    withClient(async ({ agent, ask, start }) => {
      const { reference, request } = await ask();
      await request.close();
      const server = [agent, await start()];
      for (const one of server) {
        const { data, text } = await one.call('conversation_status');
        expect(data.conversations).toMatchObject([{ reference, status: 'closed' }]);
        expect(text).toMatch(/^Oldest first:/);
      }
    }),
  );

  test.concurrent(
    'asks, waits, reads, replies, reads again and closes',
    withClient(async (session) => {
      const { agent, expert, wait } = session;
      const context = [{ role: 'assistant', content: 'The deploy hangs.' }];
      const asked = await agent.call('ask_expert', { question: 'May I remove the lock?', context });
      expect(asked.data).toMatchObject({
        reference: expect.stringMatching(/^HS-/),
        status: 'pending',
        unsent: 0,
      });
      const { reference } = asked.data;
      expect(asked.text).toContain(`Next: Call wait_for_answer with the reference ${reference}`);

      const early = await session.waitWithoutAnswer(reference);
      expect(early.data).toMatchObject({ outcome: 'still_waiting', status: 'pending', answers: [] });
      expect(early.text).toMatch(
        /^Outcome: still_waiting\nHS-\w+ has no new answer, and no expert has picked it up yet\.\nNext: Call/,
      );

      const request = await expert.request(reference);
      expect(request).toMatchObject({ question: 'May I remove the lock?', context });
      await request.answer('Yes, it is stale.');
      const answered = await wait(reference.toLowerCase());
      expect(answered.data).toMatchObject({
        outcome: 'answered',
        reference,
        status: 'responded',
        answers: [
          {
            text: 'Yes, it is stale.',
            protection: { level: 'first_contact', fingerprint: await expert.fingerprint() },
          },
        ],
      });
      expect(answered.text).toContain('Yes, it is stale.');

      expect((await agent.call('reply', { reference, text: 'And the second one?' })).data).toMatchObject({
        sent: true,
      });
      const reply = await eventually('the reply to arrive', async () => {
        const { messages } = await session.listed(request.requestId);
        return messages.find(({ role }: { role: string }) => role === 'consumer');
      });
      expect(reply.plaintext).toBeUndefined();
      const messages = request.messages[Symbol.asyncIterator]();
      const texts = [await messages.next(), await messages.next()].map(({ value }) => value.text);
      expect(texts).toEqual(['Yes, it is stale.', 'And the second one?']);
      await messages.return?.();

      await request.answer('That one too.');
      expect((await wait(reference)).data.answers).toMatchObject([{ text: 'That one too.' }]);
      expect((await agent.call('close', { reference })).data).toMatchObject({ status: 'closed' });
      expect((await wait(reference)).data).toMatchObject({ outcome: 'closed', status: 'closed' });
      expect((await agent.call('close', { reference })).isError).toBe(false);
    }),
  );

  test.concurrent(
    'hides a confidential question from the relay, and reports that it was not sent yet',
    withClient(async (session) => {
      const { agent, expert, wait } = session;
      const secret = 'The customer is Ada Lovelace.';
      const { data, text } = await agent.call('ask_expert', { question: secret, confidential: true });
      const { reference } = data;
      expect(data.unsent).toBe(1);
      expect(text).toContain('not sent yet: 1');
      const request = await expert.request(reference);
      expect(JSON.stringify(await session.listed(request.requestId))).not.toContain('Lovelace');
      expect((await agent.call('conversation_status', { reference })).text).toContain('not sent yet: 1');

      // The server sends it without a further call of a tool.
      await request.pickUp();
      for await (const message of request.messages) {
        expect(message).toMatchObject({ from: 'agent', text: secret, protection: 'sequenced' });
        break;
      }
      expect(JSON.stringify(await session.listed(request.requestId))).not.toContain('Lovelace');
      await request.answer('I see.');
      expect((await wait(reference)).data).toMatchObject({ unsent: 0, answers: [{ text: 'I see.' }] });
    }),
  );

  test.concurrent(
    'gets errors that say what to do',
    withClient(async ({ agent, ask, wait }) => {
      const { reference, request } = await ask();
      const unknown = await wait('HS-00000000');
      expect(unknown).toMatchObject({
        isError: true,
        text: expect.stringMatching(/HS-00000000.*\nNext: Call conversation_status/),
      });
      const mistyped = await wait('the last one');
      expect(mistyped).toMatchObject({ isError: true, text: expect.stringContaining('Error code: usage') });
      await request.close();
      const closed = await agent.call('reply', { reference, text: 'Hello?' });
      expect(closed).toMatchObject({
        isError: true,
        text: expect.stringMatching(/Next: No message can be sent any more/),
      });
      const empty = await agent.call('ask_expert', { question: '' });
      expect(empty).toMatchObject({ isError: true, text: expect.stringContaining('question') });
    }),
  );
});

import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { useMcpRelay } from '../testing/mcp-session.ts';

const { withClient } = useMcpRelay();

describe('an agent with the MCP server', () => {
  test.concurrent(
    'gets the answers in order; after a crash, again those of the last call',
    withClient(async (session) => {
      const { ask, wait, start } = session;
      const { reference, request } = await ask();
      await request.answer('one');
      expect((await wait(reference)).data.answers).toMatchObject([{ text: 'one' }]);
      await session.agent.kill();
      const second = await start();
      expect((await wait(reference)).data.answers).toMatchObject([{ text: 'one' }]);
      await request.answer('two');
      expect((await wait(reference)).data.answers).toMatchObject([{ text: 'two' }]);
      const status = await second.call('conversation_status', { reference, transcript: true });
      expect(status.data.conversations[0]).toMatchObject({
        answers_given: 2,
        answers_waiting: 0,
        picked_up: true,
      });
      expect(status.data.conversations[0].transcript.map(({ text }: { text: string }) => text)).toEqual([
        'May I remove the lock?',
        'one',
        'two',
      ]);
    }),
  );

  test.concurrent(
    'loses no answer by cancelling a wait',
    withClient(async ({ agent, ask, wait }) => {
      const { reference, request } = await ask();
      const cancelled = new AbortController();
      const waiting = agent.call('wait_for_answer', { reference }, cancelled.signal);
      await eventually(
        'the server to wait',
        async () => (await agent.call('conversation_status')).data.conversations[0],
      );
      cancelled.abort('enough');
      await expect(waiting).rejects.toThrow(/enough/);
      await request.answer('Here I am.');
      expect((await wait(reference)).data.answers).toMatchObject([{ text: 'Here I am.' }]);
    }),
  );

  test.concurrent(
    'two waits at the same time get the same answer, and no later one does',
    withClient(async ({ agent, ask, wait, waitWithoutAnswer }) => {
      const { reference, request } = await ask();
      const both = [wait(reference), wait(reference)];
      // The server has got both calls when it answers a later one.
      await agent.call('conversation_status', { reference });
      await request.answer('Once.');
      for (const { data } of await Promise.all(both)) expect(data.answers).toMatchObject([{ text: 'Once.' }]);
      await waitWithoutAnswer(reference);
    }),
  );

  test.concurrent(
    'shares conversations with other servers, one at a time',
    withClient(async ({ agent, start, ask }) => {
      const { reference, request } = await ask();
      // A reply that waits for the expert's keys would keep the conversation leased by its server.
      await request.pickUp();
      const other = await start();
      // Either server may be the first one to use it.
      const waiting = eventually(
        'the answer',
        async () => {
          const { data } = await agent.call('wait_for_answer', {
            reference,
            max_seconds: 50,
            include_early: true,
          });
          return data?.outcome === 'answered';
        },
        { timeoutMs: 200_000 },
      );
      const refused = await eventually('the other server to be refused', async () => {
        const answer = await other.call('reply', { reference, text: 'Me too.' });
        return answer.isError ? answer : undefined;
      });
      expect(refused.text).toContain('in use by another relay command');
      // The other server may have sent its reply before.
      await request.answer('Go on.', { evenIfNewer: true });
      await waiting;
      await eventually('the conversation to be free', async () => {
        const { isError } = await other.call('reply', { reference, text: 'Now me.' });
        return !isError;
      });
    }),
  );
});

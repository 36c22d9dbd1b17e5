import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
const root = makeRoot();

/** An agent and an expert with a conversation, and the calls that they make from now on. */
async function start() {
  const calls: string[] = [];
  const record: typeof fetch = (url, init) => {
    calls.push(String(url));
    return fetch(url, init);
  };
  const relay = server.agent({ fetch: record });
  const expert = server.expert({ root, fetch: record });
  const conversation = await relay.ask({ question: 'May I?' });
  const request = await expert.request(conversation.requestId);
  calls.length = 0;
  return { relay, expert, conversation, request, calls };
}
type Started = Awaited<ReturnType<typeof start>>;

const first = async (loop: AsyncIterable<unknown>) => {
  for await (const one of loop) return one;
  return undefined;
};

describe('after stop()', () => {
  test.each<[string, 'relay' | 'expert', (started: Started) => Promise<unknown>]>([
    ['a loop over the answers', 'relay', ({ conversation }) => first(conversation)],
    ['waiting for an answer', 'relay', ({ conversation }) => conversation.waitForAnswer()],
    ['a loop over the requests', 'expert', ({ expert }) => first(expert.requests())],
    ['a loop over the events', 'expert', ({ expert }) => first(expert.events())],
    ['a loop over the messages', 'expert', ({ request }) => first(request.messages)],
  ])('%s ends, and makes no call', async (_what, side, wait) => {
    const started = await start();
    started[side].stop();
    for (let time = 0; time < 2; time += 1)
      await expect(wait(started)).rejects.toMatchObject({ code: 'aborted' });
    expect(started.calls).toEqual([]);
  });

  test.each(['relay', 'expert'] as const)(
    'a loop of the %s that runs gets what has arrived, and ends',
    async (side) => {
      const { relay, expert, conversation, request } = await start();
      await request.pickUp();
      const [author, loop] =
        side === 'relay'
          ? [(text: string) => request.answer(text), conversation]
          : [(text: string) => conversation.send(text), request.messages];
      await author('one');
      await author('two');
      const texts: string[] = [];
      const looping = (async () => {
        for await (const { text } of loop) {
          if (texts.length === 0) await (side === 'relay' ? conversation : request).refresh();
          texts.push(text);
          ({ relay, expert })[side].stop();
        }
      })();
      await expect(looping).rejects.toMatchObject({ code: 'aborted' });
      expect(texts).toEqual(['one', 'two']);
    },
  );
});

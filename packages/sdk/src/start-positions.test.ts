import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { Relay } from './index.ts';
import { quick } from './testing/quick.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();

// The list is read for a reason: neither by polling, nor since a stream was silent for a while.
const timing = { ...quick, pollMs: 60_000, recheckMs: 600_000, openingMs: 60_000, silenceMs: 120_000 };

interface Observed {
  readonly relay: Relay;
  /** How often the list of messages was read. */
  readonly reads: () => number;
  /** What the answers to submits said. */
  readonly positions: readonly (string | null)[];
  /** The positions that streams were opened with. */
  readonly openedWith: readonly (string | null)[];
}

/** An agent whose calls are observed. `position` is what it gets in place of the position of a submit. */
function observed({ position = (real: string | null) => real } = {}): Observed {
  let reads = 0;
  const positions: (string | null)[] = [];
  const openedWith: (string | null)[] = [];
  const relay = server.agent({
    timing,
    async fetch(input, init) {
      const url = new URL(String(input));
      if (url.pathname.startsWith('/api/v1/messages/')) reads += 1;
      if (url.searchParams.has('topic')) openedWith.push(url.searchParams.get('lastEventId'));
      const response = await fetch(input, init);
      if (url.pathname !== '/api/v1/help') return response;
      const given = position(response.headers.get('relay-position'));
      positions.push(given);
      const headers = new Headers(response.headers);
      headers.delete('relay-position');
      if (given !== null) headers.set('relay-position', given);
      return new Response(response.body, { status: response.status, headers });
    },
  });
  return { relay, reads: () => reads, positions, openedWith };
}

const root = makeRoot();
const request = (requestId: string) => server.expert({ root }).request(requestId);
const patiently = { timeoutMs: 60_000 };
const textOf = ({ text }: { readonly text: string }) => text;

describe('the first stream of a question', () => {
  test.concurrent('begins where the question began, and brings an answer from before the stream', async () => {
    const { relay, reads, positions, openedWith } = observed();
    const conversation = await relay.ask({ question: 'May I?' });
    await (await request(conversation.requestId)).answer('Yes.');
    expect(textOf(await conversation.waitForAnswer(patiently))).toBe('Yes.');
    expect(positions).toEqual([expect.stringMatching(/./)]);
    expect([openedWith[0], reads()]).toEqual([positions[0], 1]);
  });

  test.concurrent('causes no read, nor does a pick-up: only the answer does', async () => {
    const { relay, reads } = observed();
    const conversation = await relay.ask({ question: 'May I?' });
    const waiting = conversation.waitForAnswer(patiently);
    const asked = await request(conversation.requestId);
    expect(conversation.isPickedUp).toBe(false);
    await asked.pickUp();
    await eventually('the pick-up', () => conversation.isPickedUp);
    expect([reads(), conversation.verification]).toEqual([0, 'none']);
    await asked.answer('Yes.');
    expect(textOf(await waiting)).toBe('Yes.');
    expect([reads(), conversation.verification]).toEqual([1, 'first-contact']);
  });

  test.concurrent('causes a read if the pick-up is awaited by a text, which is sent then', async () => {
    const { relay } = observed();
    const conversation = await relay.ask({ question: 'Customer 4711?', confidential: true });
    const waiting = conversation.waitForAnswer(patiently);
    await (await request(conversation.requestId)).pickUp();
    await eventually('the text to be sent', () => conversation.unsent.length === 0);
    expect(conversation.verification).toBe('first-contact');
    relay.stop();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  });

  test.concurrent('of two questions at once brings the answers to both', async () => {
    const { relay, openedWith, positions } = observed();
    const asked = await Promise.all([relay.ask({ question: 'One?' }), relay.ask({ question: 'Two?' })]);
    for (const { requestId } of asked) await (await request(requestId)).answer(`To ${requestId}.`);
    const answers = await Promise.all(asked.map((one) => one.waitForAnswer(patiently)));
    expect(answers.map(textOf)).toEqual(asked.map(({ requestId }) => `To ${requestId}.`));
    expect(positions).toContain(openedWith[0]);
  });

  test.concurrent.each([
    ['begins now if the relay says no position', null],
    ['begins with a reset if the hub cannot begin there', 'of another form'],
  ])('%s: the list is read, once', async (_, position) => {
    const { relay, reads, openedWith } = observed({ position: () => position });
    const conversation = await relay.ask({ question: 'May I?' });
    const asked = await request(conversation.requestId);
    const waiting = conversation.waitForAnswer(patiently);
    await eventually('a read', () => reads() > 0);
    // The stream goes on.
    await asked.pickUp();
    await eventually('the pick-up', () => conversation.isPickedUp);
    expect([openedWith[0], reads()]).toEqual([position, 1]);
    await asked.answer('Yes.');
    expect(textOf(await waiting)).toBe('Yes.');
  });

  test.concurrent.each([null, 'of another form'])(
    'with the position %j, an answer from before the stream is read',
    async (position) => {
      const { relay } = observed({ position: () => position });
      const conversation = await relay.ask({ question: 'May I?' });
      await (await request(conversation.requestId)).answer('Yes.');
      expect(textOf(await conversation.waitForAnswer(patiently))).toBe('Yes.');
    },
  );
});

test('a conversation that is resumed reads the list', async () => {
  const { relay, reads, openedWith } = observed();
  const conversation = await server.agent().ask({ question: 'May I?' });
  const again = await relay.resume(JSON.parse(JSON.stringify(conversation.export())));
  const waiting = again.waitForAnswer(patiently);
  await eventually('a read', () => reads() > 0);
  expect(openedWith.every((position) => position === null)).toBe(true);
  await (await request(conversation.requestId)).answer('Yes.');
  expect(textOf(await waiting)).toBe('Yes.');
});

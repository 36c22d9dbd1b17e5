import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { Conversation, ConversationState, Question } from './index.ts';
import { createFileStore } from './node/index.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* What processes do to each other that continue one conversation: at the same time, or one after the other's end. */

const server = useTestServer();
const root = makeRoot();
const form = { type: 'object', properties: {} } as const;
const timeout = 60_000;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts processes with one folder, each of which asks the same question. */
function sharingFolder(question: Question) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-store-'));
  folders.push(folder);
  const store = () => createFileStore(join(folder, 'state'));
  const once = crypto.randomUUID();
  return async () => await server.agent({ store: store() }).ask({ ...question, form, once });
}

const requestOf = async ({ requestId }: Pick<Conversation, 'requestId'>) =>
  await server.expert({ root }).request(requestId);

const agentsTexts = async (conversation: Conversation): Promise<string[]> =>
  (await conversation.messages()).flatMap(({ role, text }) => (role === 'consumer' ? [text] : []));

const accept = { action: 'accept', content: {} } as const;
const decline = { action: 'decline' } as const;

describe('texts that several processes have', () => {
  const orders = { 'at the same time': true, 'one after the other': false };
  const table = [true, false].flatMap((confidential) =>
    Object.entries(orders).map(([order, isAtOnce]) => ({ confidential, order, isAtOnce })),
  );

  test.concurrent.each(table)(
    'are sent once, $order (confidential: $confidential), and do not block a later process',
    async ({ confidential, isAtOnce }) => {
      const start = sharingFolder({ question: 'Deploy 4711?', confidential });
      const first = await start();
      await first.send('Only to eu-west.');
      await first.send('And not today.');
      const second = await start();
      const request = await requestOf(first);
      await request.pickUp();
      if (isAtOnce) await Promise.all([first.refresh(), second.refresh()]);
      else for (const one of [first, second]) await one.refresh();
      const third = await start();
      await third.refresh();
      for (const one of [first, second, third]) expect(one.unsent).toEqual([]);
      const expected = [...(confidential ? ['Deploy 4711?'] : []), 'Only to eu-west.', 'And not today.'];
      expect(await agentsTexts(third)).toEqual(expected);
      await request.refresh();
      await takeMessages(request);
      await request.answer('', { decision: accept });
      for (const one of [first, second, third]) {
        expect(await one.waitForDecision({ timeout })).toMatchObject({ action: 'accept' });
      }
    },
  );
});

describe('an outcome that one process has returned', () => {
  const uses: Record<string, (other: Conversation) => Promise<unknown>> = {
    read: async (other) => await other.waitForAnswer({ timeout }),
    written: async (other) => await other.send('Here is the log.'),
    'done nothing': async () => {},
  };

  test.concurrent.each(Object.keys(uses))('is final for another one that has %s since', async (used) => {
    const start = sharingFolder({ question: 'Deploy 4711?' });
    const [first, second] = [await start(), await start()];
    const request = await requestOf(first);
    await request.answer('Yes.', { decision: accept });
    expect(await first.waitForDecision({ timeout })).toMatchObject({ action: 'accept' });
    await uses[used]?.(second);
    // Another state is saved last.
    await second.close();
    await request.refresh();
    expect(await (await start()).waitForDecision({ timeout })).toMatchObject({ action: 'accept' });
  });

  test.concurrent('is not changed by a later decline', async () => {
    const start = sharingFolder({ question: 'Deploy 4711?' });
    const [first, second] = [await start(), await start()];
    const request = await requestOf(first);
    await request.answer('Yes.', { decision: accept });
    expect(await first.waitForDecision({ timeout })).toMatchObject({ action: 'accept' });
    await second.waitForAnswer({ timeout });
    await request.answer('Stop!', { decision: decline, evenIfNewer: true });
    for (const one of [second, await start()])
      expect(await one.waitForDecision({ timeout })).toMatchObject({ action: 'accept', comment: 'Yes.' });
  });
});

describe('a state that cannot be saved', () => {
  test.concurrent.each([0, 1, 2])('keeps texts from being sent (after %d more saves)', async (saves) => {
    const saved: ConversationState[] = [];
    let left = Number.POSITIVE_INFINITY;
    const save = (state: ConversationState) => {
      left -= 1;
      if (left < 0) throw new Error('ENOSPC: no space left on device');
      saved.push(JSON.parse(JSON.stringify(state)));
    };
    const conversation = await server.agent({ save }).ask({ question: 'May I?', confidential: true, form });
    await conversation.send('Only to eu-west.');
    const request = await requestOf(conversation);
    await request.pickUp();
    left = saves;
    for (let attempt = 0; attempt < 3; attempt += 1) await conversation.refresh().catch(() => {});

    const again = await server.agent().resume(saved.at(-1) as ConversationState);
    await again.refresh();
    expect(again.unsent).toEqual([]);
    expect(await agentsTexts(again)).toEqual(['May I?', 'Only to eu-west.']);
    await request.refresh();
    await takeMessages(request);
    await request.answer('', { decision: accept });
    expect(await again.waitForDecision({ timeout })).toMatchObject({ action: 'accept' });
  });
});

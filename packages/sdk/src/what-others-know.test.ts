import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, Lie, LyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fromBase64 } from './crypto/base64.ts';
import type { Bytes } from './crypto/bytes.ts';
import { makeRoot } from './crypto/index.ts';
import { writeParts } from './crypto/parts.ts';
import type { ExpertRequest } from './expert/index.ts';
import type { Answer, Conversation, RelayOptions } from './index.ts';
import { createFileStore } from './node/index.ts';
import { regionForm as form } from './testing/region-form.ts';
import { sendParts } from './testing/send-parts.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useSession } from './testing/use-session.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* docs/crypto-storage.md, "What another process must know": one row of each kind. The relay lies where that would help it. */

const server = useTestServer();
const session = useSession(server);
const root = makeRoot();
const yes = (region = 'eu') => ({ decision: { action: 'accept', content: { region } } }) as const;
const no = { decision: { action: 'decline' } } as const;
const patiently = { timeoutMs: 60_000 };
const briefly = { timeoutMs: 300 };
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let liar: LyingRelay;
let folder: string;
let once: string;
beforeEach(async () => {
  liar = await server.startLyingRelay();
  folder = mkdtempSync(join(tmpdir(), 'relay-store-'));
  folders.push(folder);
  once = crypto.randomUUID();
});

/** Calls that go past the lying relay. */
const direct: typeof fetch = async (input, init) =>
  await fetch(String(input).replace(liar.url, server.gatewayUrl), init);

/** A process of the agent with the folder of this test. */
const start = (options: Partial<RelayOptions> = {}) =>
  server.agent({
    url: liar.url,
    store: createFileStore(join(folder, 'state')),
    timing: { patienceMs: 0 },
    ...options,
  });
const ask = (options?: Partial<RelayOptions>) => start(options).ask({ question: 'Where?', form, once });

const requestOf = async ({ requestId }: Pick<Conversation<unknown>, 'requestId'>) =>
  await server.expert({ root }).request(requestId);

/** A device of the expert that has been shown everything. */
async function deviceOf(conversation: Conversation<unknown>): Promise<ExpertRequest> {
  const request = await requestOf(conversation);
  await request.pickUp();
  await conversation.refresh();
  await request.refresh();
  await takeMessages(request);
  return request;
}

/** A relay that leaves messages out of each list. */
const hide = (...hidden: readonly { readonly messageId: string }[]): Lie => ({
  answer(answer) {
    const { messages } = answer as { messages?: { messageId: string }[] };
    const isShown = ({ messageId }: { messageId: string }) =>
      !hidden.some((one) => one.messageId === messageId);
    return messages ? ({ ...answer, messages: messages.filter(isShown) } as Json) : answer;
  },
});

describe('a decision that was returned', () => {
  test('stays, and a later one goes to `onReply`, in each process', async () => {
    const conversation = await ask();
    const request = await deviceOf(conversation);
    await request.answer('Go.', yes());
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ action: 'accept' });
    await request.answer('Stop!', no);
    expect(request.decisions).toMatchObject([{ action: 'accept' }, { action: 'decline' }]);
    for (const one of [conversation, await ask()]) {
      const later: Answer[] = [];
      const onReply = (reply: Answer) => void later.push(reply);
      expect(await one.waitForDecision({ ...patiently, onReply })).toMatchObject({ comment: 'Go.' });
      expect(later).toMatchObject([{ text: 'Stop!', answer: { action: 'decline' } }]);
    }
  });
});

describe('a contradiction', () => {
  async function contradict() {
    const conversation = await ask();
    const [one, other] = [await deviceOf(conversation), await deviceOf(conversation)];
    const first = await one.answer('', yes('eu'));
    await other.answer('', yes('us'));
    await expect(conversation.waitForDecision(patiently)).rejects.toMatchObject({ code: 'answer_conflict' });
    return { conversation, one, first };
  }

  test.each(['same process', 'next process', 'export'] as const)(
    'stays although the relay hides one of the two: %s',
    async (which) => {
      const { conversation, one, first } = await contradict();
      liar.tell(hide(first));
      const elsewhere = server.agent({ url: liar.url });
      const next = { 'same process': async () => conversation, 'next process': () => ask() };
      const later: Conversation<unknown> =
        which === 'export' ? await elsewhere.resume(conversation.export()) : await next[which]();
      await expect(later.waitForDecision(patiently)).rejects.toMatchObject({ code: 'answer_conflict' });
      liar.tell({});
      await one.refresh();
      await takeMessages(one);
      await one.answer('Neither.', no);
      expect(await later.waitForDecision(patiently)).toMatchObject({ action: 'decline' });
    },
  );

  test('ends by the form sent again', async () => {
    const { one } = await contradict();
    const later = await ask();
    await later.askAgain();
    await one.refresh();
    const texts = (await takeMessages(one)).map(({ text }) => text);
    expect(texts.at(-1)).toBe('Your answers to this form contradict each other. Please decide again.');
    expect(one.decision).toBe('open');
    await one.answer('', yes('us'));
    expect(await later.waitForDecision(patiently)).toMatchObject({ content: { region: 'us' } });
    await expect(later.askAgain()).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('a decision and a contradiction that two processes find at the same moment', () => {
  /** The store of a process that is about to write an outcome when `other` runs. */
  function storeAfter(other: () => Promise<unknown>) {
    const store = createFileStore(join(folder, 'state'));
    let isFirst = true;
    return {
      ...store,
      async remember(name: string, value: string) {
        const isDue = isFirst && /(outcome|decided|conflict):/.test(name);
        if (isDue) isFirst = false;
        if (isDue) await other();
        return await store.remember(name, value);
      },
    };
  }

  /** One process sees both answers, the other one only the first: `early` writes first. */
  test.each(['decision', 'contradiction'] as const)(
    'are the same in both: the %s was first',
    async (early) => {
      const hiding = { hidden: '' };
      const answers = async () => {
        const [one, other] = [await deviceOf(conversation), await deviceOf(conversation)];
        await one.answer('', yes('eu'));
        hiding.hidden = (await other.answer('', yes('us'))).messageId;
        liar.tell(hide({ messageId: hiding.hidden }));
        return one;
      };
      const deceived = { url: liar.url };
      const informed = { fetch: direct };
      const outcomes: unknown[] = [];
      const waitOf = async (one: Conversation<unknown>) =>
        outcomes.push(
          await one.waitForDecision(patiently).then(
            ({ action }) => action,
            ({ code }: { code: string }) => code,
          ),
        );
      const conversation = await ask();
      const first = await ask(early === 'decision' ? deceived : informed);
      const store = storeAfter(() => waitOf(first));
      const second = await ask({ ...(early === 'decision' ? informed : deceived), store });
      const device = await answers();
      await waitOf(second);
      const outcome = early === 'decision' ? 'accept' : 'answer_conflict';
      expect(outcomes).toEqual([outcome, outcome]);
      await waitOf(await ask());
      expect(outcomes[2]).toBe(outcome);
      liar.tell({});
      await device.refresh();
      await takeMessages(device);
      await device.answer('Neither.', no);
      for (const one of [first, second, await ask()]) await waitOf(one);
      const last = early === 'decision' ? 'accept' : 'decline';
      expect(outcomes.slice(3)).toEqual([last, last, last]);
    },
  );
});

describe('an answer that does not fit the form', () => {
  test.each(['next process', 'export'] as const)(
    'is reported until the agent has written again: %s',
    async (which) => {
      const conversation = await ask();
      const request = await deviceOf(conversation);
      const json = JSON.stringify({
        action: 'accept',
        content: { region: 'mars' },
        decidedAt: new Date().toISOString(),
      });
      const of = fromBase64(request.form?.of ?? '') as Bytes;
      await sendParts(request, '', writeParts({ answer: { of, json } }));
      await expect(conversation.waitForDecision(patiently)).rejects.toMatchObject({ code: 'answer_invalid' });
      const resume = () => server.agent({ url: liar.url }).resume(conversation.export());
      const later: Conversation<unknown> = await (which === 'export' ? resume() : ask());
      await expect(later.waitForDecision(patiently)).rejects.toMatchObject({ code: 'answer_invalid' });
      await later.send('Which region?');
      await expect(later.waitForDecision(briefly)).rejects.toMatchObject({ code: 'timeout' });
      await request.refresh();
      await takeMessages(request);
      await request.answer('', yes());
      expect(await later.waitForDecision(patiently)).toMatchObject({ action: 'accept' });
    },
  );
});

describe('a text of the agent', () => {
  const away = (): Lie => ({
    swallow: ({ method, path }) =>
      method === 'POST' && path.includes('/message/') ? { status: 503, body: { status: 503 } } : undefined,
  });

  test('that waits keeps a decision from counting in the next process, which sends it', async () => {
    const conversation = await ask();
    const request = await deviceOf(conversation);
    liar.tell(away());
    await expect(conversation.send('WAIT: the volume has data!')).rejects.toThrow();
    await request.answer('', yes());
    const next = await ask();
    expect(next.unsent).toEqual(['WAIT: the volume has data!']);
    await expect(next.waitForDecision(briefly)).rejects.toMatchObject({ code: 'timeout' });
    liar.tell({});
    await next.refresh();
    expect(next.unsent).toEqual([]);
    await expect(next.waitForDecision(briefly)).rejects.toMatchObject({ code: 'timeout' });
    await request.refresh();
    expect(request.decision).toBe('reopened');
    expect((await takeMessages(request)).map(({ text }) => text)).toContain('WAIT: the volume has data!');
  });

  test.each(['still waits', 'was sent after the answer'])(
    'of another process, which %s, keeps a decision from counting',
    async (how) => {
      const [one, other] = [await ask(), await ask()];
      const request = await deviceOf(one);
      liar.tell(away());
      await expect(other.send('WAIT: the volume has data!')).rejects.toThrow();
      liar.tell({});
      await one.send('It is about the staging volume.');
      await request.refresh();
      await takeMessages(request);
      await request.answer('', yes());
      if (how === 'was sent after the answer') await other.refresh();
      await expect(one.waitForDecision(briefly)).rejects.toMatchObject({ code: 'timeout' });
    },
  );

  test('that another process has sent is missing where the relay hides it', async () => {
    const [one, other] = [await ask(), await ask({ fetch: direct })];
    const request = await deviceOf(one);
    await one.refresh();
    await other.refresh();
    liar.tell(hide(await other.send('WAIT!')));
    // The expert's device may have read the list between the two.
    await request.answer('', { ...yes(), evenIfNewer: true });
    await expect(one.waitForDecision(patiently)).rejects.toMatchObject({ reason: 'message_missing' });
  });

  test('that another process has sent, and the relay shows, crosses', async () => {
    const [one, other] = [await ask(), await ask({ fetch: direct })];
    const request = await deviceOf(one);
    await other.refresh();
    await other.send('WAIT!');
    await request.answer('', { ...yes(), evenIfNewer: true });
    await expect(one.waitForDecision(briefly)).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe('a question that the agent has closed', () => {
  const swallowed: Lie = {
    swallow: ({ path }) =>
      path.includes('/close/') ? { status: 200, body: { status: 'closed', responseCount: 0 } } : undefined,
  };

  test.each(['same process', 'next process', 'export'] as const)('is withdrawn: %s', async (which) => {
    const conversation = await ask();
    const request = await deviceOf(conversation);
    liar.tell(swallowed);
    await conversation.close().catch(() => {});
    await request.answer('', yes());
    const later: Conversation<unknown> =
      which === 'export'
        ? await server.agent({ url: liar.url }).resume(conversation.export())
        : which === 'next process'
          ? await ask()
          : conversation;
    await expect(later.waitForDecision(patiently)).rejects.toMatchObject({ code: 'withdrawn' });
  });

  test('also for one that waits at the same time', async () => {
    const [one, other] = [await ask(), await ask()];
    const request = await deviceOf(one);
    const waiting = one.waitForDecision(patiently);
    waiting.catch(() => {});
    liar.tell(swallowed);
    await other.close().catch(() => {});
    await request.answer('', yes());
    await expect(waiting).rejects.toMatchObject({ code: 'withdrawn' });
  });

  test('is not withdrawn if the relay had a decision', async () => {
    const conversation = await ask();
    const request = await deviceOf(conversation);
    await request.answer('', yes());
    await conversation.close();
    expect(await (await ask()).waitForDecision(patiently)).toMatchObject({ action: 'accept' });
  });
});

describe('the owner of a name', () => {
  test('is one API key: a key of another user asks a new question', async () => {
    const conversation = await ask();
    await (await deviceOf(conversation)).answer('', yes());
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ action: 'accept' });
    const other = await server.constellation.makeTenant();
    const theirs = await ask({ apiKey: other.consumerKey });
    expect(theirs.requestId).not.toBe(conversation.requestId);
    await expect(theirs.waitForDecision(briefly)).rejects.toMatchObject({ code: 'timeout' });
    // Both are kept.
    expect((await ask()).requestId).toBe(conversation.requestId);
    expect((await ask({ apiKey: other.consumerKey })).requestId).toBe(theirs.requestId);
    const state = conversation.export();
    await expect(start({ apiKey: other.consumerKey }).resume(state)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('is the same after its rotation, once it has read the request', async () => {
    const inBrowser = async (path: string, method = 'GET') => {
      const call = {
        method,
        credentials: 'same-origin',
        headers: { 'content-type': 'application/json' },
      } as const;
      const body = method === 'POST' ? { body: '{}' } : {};
      return (await (await session.fetch(server.gatewayUrl + path, { ...call, ...body })).json()) as Json;
    };
    const apiKey = session.consumerKey;
    const conversation = await ask({ apiKey });
    const request = await session.expert({ root }).request(conversation.requestId);
    await request.answer('', yes());
    expect(await conversation.waitForDecision(patiently)).toMatchObject({ action: 'accept' });
    const { keys } = (await inBrowser('/api/keys')) as { keys: { id: string; lastFour: string }[] };
    const { id = '' } = keys.find(({ lastFour }) => apiKey.endsWith(lastFour)) ?? {};
    const { key } = (await inBrowser(`/api/keys/${id}/rotate`, 'POST')) as { key: string };
    await request.answer('Stop!', no);
    const again = await ask({ apiKey: key });
    expect(again.requestId).toBe(conversation.requestId);
    expect(await again.waitForDecision(patiently)).toMatchObject({ action: 'accept' });
  });
});

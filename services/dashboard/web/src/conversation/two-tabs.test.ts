import { RelayError } from '@expert-relay/sdk';
import type { UnsentAnswer } from '@expert-relay/sdk/expert';
import { describe, expect, test } from '@jest/globals';
import { createPageStorage, type Storage } from '../storage/storage.ts';
import { provideLocks } from '../testing/provide-locks.ts';
import { requestView } from '../testing/requests.ts';
import { untilPasses } from '../testing/until-passes.ts';
import { createConversation } from './conversation.ts';
import type { OpenRequest, PendingAnswer } from './conversation-state.ts';

/* Two tabs of one browser do something with the same answers at the same moment. No text is lost, and none is sent twice. */

provideLocks();

/** What the tabs share: the storage, the SDK's outbox, and the relay. */
function createBrowser() {
  const kept = new Map<string, string>();
  const drafts = new Map<string, UnsentAnswer>();
  const sent: string[] = [];
  const taken: string[] = [];
  const removed: string[] = [];
  /** Texts that the relay refuses. */
  const refuses = new Set<string>();
  let ids = 0;
  let turns = 0;

  /** Ends at another time for each call, so that the calls of two tabs mix. */
  const turn = async () => {
    turns = (turns * 7 + 3) % 11;
    for (let at = 0; at < turns % 4; at += 1) await new Promise((resolve) => setTimeout(resolve));
  };

  function openStorage(): Storage {
    const storage = createPageStorage(kept);
    return {
      ...storage,
      async get(name) {
        await turn();
        const value = await storage.get(name);
        await turn();
        return value;
      },
      async change(name, edit) {
        for (;;) {
          const before = kept.get(name);
          const value = edit(before);
          await turn();
          if (kept.get(name) !== before) continue;
          return storage.change(name, () => value);
        }
      },
    };
  }

  function openTab() {
    let status: OpenRequest['status'] = 'pending';
    let wake = () => {};
    const failures: Error[] = [];
    const own = new Map(drafts);
    const isUnsent = (id: string) => own.has(id) && drafts.has(id);
    const request: OpenRequest = {
      ...requestView,
      isPickedUp: true,
      get status() {
        return status;
      },
      get unsentAnswers() {
        return [...own.values()].filter(({ messageId }) => isUnsent(messageId));
      },
      async answer(text, { onKept } = {}) {
        await turn();
        ids += 1;
        const messageId = `m${ids}`;
        const draft = { messageId, text, isHeld: false };
        own.set(messageId, draft);
        drafts.set(messageId, draft);
        onKept?.();
        await turn();
        if (refuses.has(text)) {
          drafts.delete(messageId);
          throw new RelayError('message_too_large', 'too large', { status: 413 });
        }
        // Another tab may have claimed it.
        if (drafts.delete(messageId)) sent.push(text);
        return { messageId, isSent: true };
      },
      async refresh() {
        await turn();
        for (const { messageId, text } of request.unsentAnswers) {
          if (refuses.has(text)) throw new RelayError('conflict', 'refused', { status: 409 });
          if (drafts.delete(messageId)) sent.push(text);
        }
      },
      async discard(messageIds) {
        await turn();
        const gone = request.unsentAnswers.filter(({ messageId }) => messageIds?.includes(messageId) ?? true);
        for (const { messageId } of gone) drafts.delete(messageId);
        return gone.map(({ text }) => text);
      },
      pickUp: async () => {},
      async close() {
        status = 'closed';
      },
      messages: {
        async *[Symbol.asyncIterator]() {
          for (;;) {
            const failure = failures.shift();
            if (failure) throw failure;
            yield* [];
            await new Promise<void>((resolve) => (wake = resolve));
          }
        },
      },
    };
    const conversation = createConversation({ requestId: 'r1', storage: openStorage() });
    const stop = conversation.follow(async () => request);
    const find = (text: string): PendingAnswer | undefined =>
      conversation.state.get().answers.find((one) => one.text === text);
    return {
      conversation,
      stop,
      find,
      fail() {
        failures.push(new RelayError('conflict', 'refused', { status: 409 }));
        wake();
      },
    };
  }

  return { kept, drafts, sent, taken, removed, refuses, openTab };
}

type Browser = ReturnType<typeof createBrowser>;
type Tab = ReturnType<Browser['openTab']>;

/** What the expert or the relay does with the answer `X`. */
const operations: Record<string, (tab: Tab, browser: Browser) => Promise<void>> = {
  async 'the relay refuses it'(tab, { refuses }) {
    refuses.add('X');
    tab.fail();
  },
  async 'Try again'(tab) {
    const answer = tab.find('X');
    if (answer?.delivery === 'refused') await tab.conversation.sendAgain(answer);
  },
  async Remove(tab, { removed }) {
    const answer = tab.find('X');
    if (!answer) return;
    removed.push('X');
    await tab.conversation.discard(answer);
  },
  async 'Change it'(tab, { taken }) {
    await tab.conversation.takeBack(async (waiting) => void taken.push(...waiting.map(({ text }) => text)));
  },
  async 'another answer is refused'(tab, { refuses }) {
    const text = `Other ${Math.random()}`;
    refuses.add(text);
    await tab.conversation.send({ text });
  },
  async 'another answer is sent'(tab) {
    await tab.conversation.send({ text: `Fine ${Math.random()}` });
  },
};
const names = Object.keys(operations);
const pairs = names.flatMap((one) => names.map((other) => [one, other] as const));

/** How often a text can be found. */
function countOf(text: string, { sent, drafts, kept, taken, removed }: Browser): number {
  const refused: PendingAnswer[] = JSON.parse(kept.get('refused:r1') ?? '[]');
  const all = [...sent, ...taken, ...removed, ...[...drafts.values(), ...refused].map((one) => one.text)];
  return all.filter((one) => one === text).length;
}

describe.each(['waits', 'was refused'])('while X %s in both tabs', (state) => {
  test.each(pairs)('%s, and %s', async (one, other) => {
    const browser = createBrowser();
    const draft = (messageId: string, text: string) =>
      browser.drafts.set(messageId, { messageId, text, isHeld: false });
    if (state === 'waits') draft('x', 'X');
    else {
      const refused = {
        key: 'x',
        text: 'X',
        at: '',
        delivery: 'refused',
        code: 'conflict',
        after: 0,
        shown: [],
      };
      browser.kept.set('refused:r1', JSON.stringify([refused]));
    }
    draft('y', 'Y');
    const tabs = [browser.openTab(), browser.openTab()] as const;
    for (const tab of tabs) {
      await untilPasses(() => expect([tab.find('X'), tab.find('Y')]).not.toContain(undefined));
    }
    const doBoth = [one, other].map((name, at) => operations[name]?.(tabs[at] as Tab, browser));
    await Promise.all(doBoth);
    await untilPasses(() => {
      for (const text of ['X', 'Y', ...browser.refuses])
        expect({ text, count: countOf(text, browser) > 0 }).toEqual({ text, count: true });
    });
    // Whatever still runs ends.
    for (let at = 0; at < 20; at += 1) await new Promise((resolve) => setTimeout(resolve));
    for (const text of ['X', 'Y', ...browser.refuses]) {
      const sentOnce = browser.sent.filter((sent) => sent === text).length <= 1;
      expect({ text, count: countOf(text, browser) > 0, sentOnce }).toEqual({
        text,
        count: true,
        sentOnce: true,
      });
    }
    const end = async ({ conversation, stop }: Tab) => {
      // Retries end.
      await conversation.close();
      stop();
    };
    await Promise.all(tabs.map(end));
    // What the storage has is shown after a reload.
    const later = browser.openTab();
    const stored: PendingAnswer[] = JSON.parse(browser.kept.get('refused:r1') ?? '[]');
    await untilPasses(() => expect(stored.filter(({ text }) => !later.find(text))).toEqual([]));
    await end(later);
  });
});

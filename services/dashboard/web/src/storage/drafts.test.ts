import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { TabMessage, Tabs } from '../relay/tabs.ts';
import { untilPasses } from '../testing/until-passes.ts';
import { createDraft, joinTexts } from './drafts.ts';
import { createPageStorage } from './storage.ts';

let kept: Map<string, string>;
let stops: (() => void)[];
let tabs: Set<(message: TabMessage) => void>;
const page = new EventTarget();

beforeEach(() => {
  kept = new Map();
  stops = [];
  tabs = new Set();
  Object.assign(globalThis, {
    document: page,
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  });
});
afterEach(() => {
  for (const stop of stops) stop();
  for (const name of ['document', 'addEventListener', 'removeEventListener']) {
    Reflect.deleteProperty(globalThis, name);
  }
});

/** A tab with the request open. */
function openTab({ isTyping = false, join = joinTexts } = {}) {
  let receive: (message: TabMessage) => void = () => {};
  const draft = createDraft({
    requestId: 'r1',
    storage: createPageStorage(kept),
    tabs: {
      send(message: TabMessage) {
        for (const call of tabs) if (call !== receive) call(message);
      },
      listen(call: (message: TabMessage) => void) {
        receive = call;
        tabs.add(call);
        return () => tabs.delete(call);
      },
    } as unknown as Tabs,
    isTyping: () => isTyping,
    join,
  });
  stops.push(draft.stop);
  return draft;
}

test('a draft is saved while it is typed, and restored by the next page', async () => {
  const draft = openTab();
  draft.write('Y');
  draft.write('Yes, bu');
  await untilPasses(() => expect(kept.get('draft:r1')).toBe('Yes, bu'));
  draft.stop();
  const next = openTab();
  await untilPasses(() => expect(next.text.get()).toBe('Yes, bu'));
});

test('a draft is saved at once when the page is closed or hidden', async () => {
  const draft = openTab();
  draft.write('Half a sent');
  page.dispatchEvent(new Event('pagehide'));
  await draft.save();
  expect(kept.get('draft:r1')).toBe('Half a sent');
});

test('a text that is typed before the stored draft was read replaces it', async () => {
  kept.set('draft:r1', 'old');
  const draft = openTab();
  draft.write('new');
  await untilPasses(() => expect(draft.isRestored.get()).toBe(true));
  expect(draft.text.get()).toBe('new');
});

test('other tabs show the text, except a tab in which the expert is typing', async () => {
  const [writing, reading, typing] = [openTab(), openTab(), openTab({ isTyping: true })];
  await untilPasses(() => expect(typing.isRestored.get()).toBe(true));
  typing.write('mine');
  writing.write('theirs');
  await writing.save();
  expect(reading.text.get()).toBe('theirs');
  expect(typing.text.get()).toBe('mine');
});

test('a text that was handed over is removed from the box at once, and from the storage when it is settled', async () => {
  const [draft, other] = [openTab(), openTab()];
  draft.write('Yes.');
  await draft.save();
  let settle = () => {};
  draft.handOver(new Promise<void>((resolve) => (settle = resolve)));
  expect(draft.text.get()).toBe('');
  expect(other.text.get()).toBe('');
  await draft.save();
  // The sender may not have stored it yet.
  expect(kept.get('draft:r1')).toBe('Yes.');
  settle();
  await untilPasses(() => expect(kept.has('draft:r1')).toBe(false));
});

test('a text that is typed while the previous one is sent is kept', async () => {
  const draft = openTab();
  draft.write('One.');
  await draft.save();
  let settle = () => {};
  draft.handOver(new Promise<void>((resolve) => (settle = resolve)));
  draft.write('Two');
  settle();
  await draft.save();
  await untilPasses(() => expect(kept.get('draft:r1')).toBe('Two'));
});

test.each([
  ['a text', joinTexts, 'One.\n\nTwo'],
  ['a form', (before: string) => before, 'One.'],
])('%s that was given back stands there again, and is stored', async (_, join, restored) => {
  const draft = openTab({ join });
  draft.write('One.');
  await draft.save();
  let giveBack = () => {};
  draft.handOver(new Promise<void>((_, reject) => (giveBack = reject)));
  draft.write('Two');
  giveBack();
  await untilPasses(() => expect(draft.text.get()).toBe(restored));
  await untilPasses(() => expect(kept.get('draft:r1')).toBe(restored));
});

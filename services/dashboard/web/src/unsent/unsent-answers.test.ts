import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { TabMessage, Tabs } from '../live/tabs.ts';
import { createPageStorage } from '../storage/storage.ts';
import { untilPasses } from '../testing/until-passes.ts';
import { createUnsent } from './unsent-answers.ts';

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
let kept: Map<string, string>;
let listeners: Set<(message: TabMessage) => void>;

beforeEach(() => {
  kept = new Map();
  listeners = new Set();
  Object.assign(globalThis, { document: page, addEventListener: page.addEventListener.bind(page) });
});
afterEach(() => {
  for (const name of ['document', 'addEventListener']) Reflect.deleteProperty(globalThis, name);
});

/** A tab in which each read of the storage takes 5 ms. A suspended tab receives no messages from the other tabs. */
function openTab({ isSuspended = false } = {}) {
  const storage = createPageStorage(kept);
  const own = new Set<(message: TabMessage) => void>();
  const tabs: Pick<Tabs, 'send' | 'listen'> = {
    send: (message) => {
      for (const call of listeners) if (!own.has(call)) call(message);
    },
    listen(call) {
      if (!isSuspended) listeners.add(call);
      own.add(call);
      return () => {};
    },
  };
  const get = async (name: string) => {
    const value = await storage.get(name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return value;
  };
  return createUnsent({ ...storage, get }, tabs as Tabs);
}

const waiting = { refCode: 'HS-1', state: 'waiting' } as const;

test('a note that a tab reads while it writes a newer one does not stay', async () => {
  const [one, other] = [openTab(), openTab()];
  await Promise.all([one.restored, other.restored]);
  one.note('r1', waiting);
  await untilPasses(() => expect(other.all.get()).toEqual({ r1: waiting }));
  one.note('r1', { ...waiting, state: 'sending' });
  // The other one reads it now, and has sent the answer before it has read it.
  await new Promise((resolve) => setTimeout(resolve, 1));
  other.note('r1', undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([one.all.get(), other.all.get()]).toEqual([{}, {}]);
});

test('a tab that was suspended knows what others have noted once it is shown again', async () => {
  const [one, other] = [openTab(), openTab({ isSuspended: true })];
  await Promise.all([one.restored, other.restored]);
  one.note('r1', waiting);
  one.note('r2', waiting);
  await untilPasses(() => expect(kept.has('unsent:r2')).toBe(true));
  page.dispatchEvent(new Event('visibilitychange'));
  await untilPasses(() => expect(other.all.get()).toEqual({ r1: waiting, r2: waiting }));
  one.note('r1', undefined);
  await untilPasses(() => expect(kept.has('unsent:r1')).toBe(false));
  page.dispatchEvent(new Event('pageshow'));
  await untilPasses(() => expect(other.all.get()).toEqual({ r2: waiting }));
});

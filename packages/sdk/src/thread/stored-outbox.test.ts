import { beforeEach, expect, test } from '@jest/globals';
import type { Values } from '../store.ts';
import type { Draft, Outbox } from './outbox.ts';
import { createOutbox } from './stored-outbox.ts';

const values = new Map<string, string>();
beforeEach(() => values.clear());
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
/** Each call takes a while, as in a browser. */
const store: Values = {
  async get(name) {
    await pause();
    return values.get(name);
  },
  async set(name, value) {
    await pause();
    values.set(name, value);
  },
  async remember(name, value) {
    await pause();
    const kept = values.get(name) ?? value;
    values.set(name, kept);
    return kept;
  },
};
const openTab = () => createOutbox(store, 'r');
const draft = (messageId: string, more: Partial<Draft> = {}): Draft => ({
  messageId,
  text: messageId,
  shown: [],
  ...more,
});
/** What a tab that is opened finds, and from then on has. */
async function takeOver(tab: Outbox) {
  const { drafts } = await tab.read();
  await tab.save(drafts);
  return drafts;
}
const idsIn = async (tab: Outbox) => (await takeOver(tab)).map(({ messageId }) => messageId);
const contents = () => [...values].filter(([name]) => name.startsWith('outbox:')).map(([, value]) => value);

test('tabs that save at the same time lose nothing of each other', async () => {
  const tabs = Array.from({ length: 5 }, (_, at) => ({
    tab: openTab(),
    texts: [draft(`${at}a`), draft(`${at}b`)],
  }));
  for (const count of [1, 2])
    await Promise.all(tabs.map(({ tab, texts }) => tab.save(texts.slice(0, count))));
  expect((await idsIn(openTab())).sort()).toEqual(tabs.flatMap((_, at) => [`${at}a`, `${at}b`]).sort());
});

test('a text that one tab removes while another one saves is gone, and nothing else is', async () => {
  const [one, other] = [openTab(), openTab()];
  await one.save([draft('old')]);
  const found = await takeOver(other);
  await Promise.all([other.save([]), one.save([draft('new')])]);
  expect(found.map(({ messageId }) => messageId)).toEqual(['old']);
  expect(await idsIn(openTab())).toEqual(['new']);
});

test('a text that another tab has removed is not stored again, and its content is removed', async () => {
  const [one, other] = [openTab(), openTab()];
  const text = draft('secret');
  await one.save([text]);
  await takeOver(other);
  await other.save([]);
  await one.save([text]);
  expect(await idsIn(openTab())).toEqual([]);
  expect(contents().join()).not.toContain('secret');
});

test('the order is kept beyond one batch, and a change is stored', async () => {
  const tab = openTab();
  const texts = Array.from({ length: 40 }, (_, at) => draft(`m${at}`));
  await tab.save(texts);
  const [first, ...others] = texts;
  if (first) first.isHeldIfNewer = true;
  await tab.save(texts);
  const again = openTab();
  const found = await takeOver(again);
  expect(found).toEqual(texts);
  expect(found[0]?.isHeldIfNewer).toBe(true);
  await again.save(found.slice(1));
  expect(await takeOver(openTab())).toEqual(others);
});

test('another client learns that a text waits, and then that the relay has accepted it', async () => {
  const [one, other] = [openTab(), openTab()];
  await one.save([draft('a'), draft('b')]);
  expect((await other.read()).drafts.map(({ messageId }) => messageId)).toEqual(['a', 'b']);
  await one.save([], ({ messageId }) => messageId === 'a');
  for (const tab of [other, openTab()]) expect(await tab.read()).toEqual({ drafts: [], accepted: ['a'] });
  expect(await other.claim('b', {})).toBeNull();
});

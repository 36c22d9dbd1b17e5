import { afterEach, expect, test } from '@jest/globals';
import { changeReplies, readReplies } from './saved-replies.ts';

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

/** A relay that keeps one value, as the real one does. */
function serve() {
  const relay = { stored: undefined as string | undefined, version: 0, beforePut: async () => {} };
  globalThis.fetch = async (_, init) => {
    const headers = { etag: `"${relay.version}"` };
    if (init?.method !== 'PUT')
      return relay.stored === undefined
        ? Response.json({})
        : Response.json({ savedReplies: JSON.parse(relay.stored) }, { headers });
    const { beforePut } = relay;
    relay.beforePut = async () => {};
    await beforePut();
    const ifMatch = new Headers(init.headers).get('if-match');
    if (relay.stored !== undefined && ifMatch !== `"${relay.version}"`)
      return Response.json({}, { status: ifMatch === null ? 428 : 412 });
    relay.stored = JSON.stringify(JSON.parse(String(init.body)).savedReplies);
    relay.version++;
    return Response.json({});
  };
  return relay;
}

const root = new Uint8Array(32).fill(7);
const add = (text: string) => (before: readonly string[]) => [text, ...before];

test('what two devices save at the same time is all there, and the relay cannot read it', async () => {
  const relay = serve();
  expect(await readReplies(root)).toEqual([]);
  relay.beforePut = async () => void (await changeReplies(root, add('one')));
  expect(await changeReplies(root, add('two'))).toEqual(['two', 'one']);
  relay.beforePut = async () => void (await changeReplies(root, add('three')));
  expect(await changeReplies(root, add('four'))).toEqual(['four', 'three', 'two', 'one']);
  expect(await readReplies(root)).toEqual(['four', 'three', 'two', 'one']);
  expect(relay.stored).not.toContain('two');
});

test('a new expert key begins without the replies of the old one', async () => {
  serve();
  await changeReplies(root, add('old'));
  const newRoot = new Uint8Array(32).fill(8);
  expect(await readReplies(newRoot)).toEqual([]);
  expect(await changeReplies(newRoot, add('new'))).toEqual(['new']);
});

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Conversations, type StoredConversation } from './conversations.ts';
import { storeFolder } from './store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-conversations-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (url = 'https://relay.example') => new Conversations({ folder, url });

async function keep(refCode: string | undefined): Promise<StoredConversation> {
  const request = refCode && {
    requestId: 'r',
    refCode,
    status: 'pending' as const,
    expiresAt: '2026-11-24T00:00:00Z',
    responseCount: 0,
  };
  const state = {
    version: 2 as const,
    id: crypto.randomUUID(),
    ...(request && { request }),
    keys: { secret: 1 },
  };
  const kept = { version: 1, entries: [], state: state as unknown as StoredConversation['state'] } as const;
  await open().write(kept.state.id, { version: 1, entries: [] });
  await open().writeState(kept.state);
  return { ...kept, entries: [] };
}

/** Where what this command line keeps of a conversation is stored. */
function fileOf({ state: { id } }: StoredConversation, start = 'journal.'): string {
  const name = readdirSync(storeFolder(folder, 'agents')).find(
    (one) => one.startsWith(start) && one.includes(id),
  );
  return join(storeFolder(folder, 'agents'), name ?? '');
}

test("are found by code, or by id while they have no code, with all members of the SDK's state", async () => {
  const [one, other] = [await keep('HS-00000001'), await keep(undefined)];
  expect(await open().find('HS-00000001')).toEqual(one);
  expect(await open().find(other.state.id)).toEqual(other);
  expect(await open().find('HS-00000002')).toBeUndefined();
  expect(await open().all()).toHaveLength(2);
});

test('are found at their own relay only, and can be read by their user alone', async () => {
  const one = await keep('HS-00000001');
  const elsewhere = open('https://other.example');
  for (const name of ['HS-00000001', one.state.id]) expect(await elsewhere.find(name)).toBeUndefined();
  expect(await elsewhere.all()).toEqual([]);
  for (const start of ['journal.', 'conversation.'])
    expect(statSync(fileOf(one, start)).mode & 0o777).toBe(0o600);
  expect(statSync(storeFolder(folder, 'agents')).mode & 0o777).toBe(0o700);
});

test('a damaged file blocks only searches that it could be the result of', async () => {
  const [one, damaged] = [await keep('HS-00000001'), await keep('HS-00000002')];
  const path = fileOf(damaged);
  writeFileSync(path, '{');
  const sentence = `The file ${path} is damaged: put it back from a backup, or remove it.`;
  expect(await open().find('HS-00000001')).toEqual(one);
  expect(await open().find(one.state.id)).toEqual(one);
  // The id of a question that is asked with a name is looked up before it is asked.
  expect(await open().find(crypto.randomUUID())).toBeUndefined();
  for (const name of [damaged.state.id, 'HS-00000002'])
    await expect(open().find(name)).rejects.toMatchObject({ outcome: 'state', message: sentence });
  await expect(open().all()).rejects.toThrow(sentence);
  const reported: unknown[] = [];
  expect(await open().all((error) => reported.push(error))).toEqual([one]);
  expect(reported).toMatchObject([{ message: sentence }]);
  writeFileSync(path, '"{}"');
  await expect(open().find(damaged.state.id)).rejects.toThrow(
    `${storeFolder(folder, 'agents')} has of the conversation ${damaged.state.id} is damaged`,
  );
});

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openConversations, type StoredConversation } from './conversations.ts';
import { writePrivate } from './private-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-conversations-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const day = 24 * 3_600_000;
const open = (now = Date.now()) => openConversations(folder, () => now);

function conversation(refCode: string | undefined): StoredConversation {
  const request = refCode && {
    requestId: 'r',
    refCode,
    status: 'pending' as const,
    expiresAt: '2026-11-24T00:00:00Z',
    responseCount: 0,
  };
  const state = {
    version: 1 as const,
    id: crypto.randomUUID(),
    ...(request && { request }),
    keys: { secret: 1 },
  };
  return { version: 1, entries: [], state: state as unknown as StoredConversation['state'] };
}

test("are found by code, or by id while they have no code, with all members of the SDK's state", () => {
  const [one, other] = [conversation('HS-00000001'), conversation(undefined)];
  open().write(one);
  open().write(other);
  expect(open().find('HS-00000001')).toEqual(one);
  expect(open().find(other.state.id)).toEqual(other);
  expect(open().find('HS-00000002')).toBeUndefined();
  expect(open().all()).toHaveLength(2);
});

test('a broken file blocks only searches that it could be the result of', () => {
  const one = conversation('HS-00000001');
  open().write(one);
  const brokenId = crypto.randomUUID();
  writePrivate(join(folder, 'conversations', `${brokenId}.json`), '{');
  expect(open().find('HS-00000001')).toEqual(one);
  expect(open().find(one.state.id)).toEqual(one);
  // The id of a question that is asked with a name is looked up before it is asked.
  expect(open().find(crypto.randomUUID())).toBeUndefined();
  expect(() => open().find(brokenId)).toThrow('is broken');
  expect(() => open().find('HS-00000002')).toThrow('is broken');
  expect(open().isTaken('HS-00000001', one.state.id)).toBe(false);
  expect(open().isTaken('HS-00000001', 'another')).toBe(true);
  expect(open().isTaken('HS-00000002', 'another')).toBe(false);
  expect(() => open().all()).toThrow('is broken');
  const reported: unknown[] = [];
  expect(open().all((error) => reported.push(error))).toEqual([one]);
  expect(reported).toMatchObject([{ message: expect.stringContaining('is broken') }]);
});

test('conversations that the relay no longer has are removed', () => {
  open().write(conversation('HS-00000001'));
  open(Date.now() + 32 * day);
  expect(readdirSync(join(folder, 'conversations'))).toHaveLength(1);
  open(Date.now() + 34 * day);
  expect(readdirSync(join(folder, 'conversations'))).toHaveLength(0);
});

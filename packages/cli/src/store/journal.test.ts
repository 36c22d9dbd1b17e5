import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationState } from '@expert-relay/sdk';
import { expect, test } from '@jest/globals';
import { Conversations } from './conversations.ts';
import { Journal } from './journal.ts';
import { storeFolder } from './store.ts';

test('is written again when a conversation is opened, so that the store does not remove it before the state', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-journal-'));
  try {
    const conversations = new Conversations({ folder, url: 'https://relay.example' });
    const state = { version: 2, id: crypto.randomUUID() } as ConversationState;
    const first = new Journal(conversations);
    await first.lock(state.id);
    await first.save(state);
    await first.release();
    const files = storeFolder(folder, 'agents');
    const name = readdirSync(files).find((one) => one.startsWith('journal.')) ?? '';
    utimesSync(join(files, name), 0, 0);
    const second = new Journal(conversations);
    await second.lock(state.id);
    await second.release();
    expect(statSync(join(files, name)).mtimeMs).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

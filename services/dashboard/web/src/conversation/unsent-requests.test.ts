import { RelayError } from '@expert-relay/sdk';
import type { Expert, ExpertRequest } from '@expert-relay/sdk/expert';
import { beforeEach, expect, test } from '@jest/globals';
import { noteUnsent, sendUnsent } from './unsent-requests.ts';

let kept: Map<string, string>;
beforeEach(() => {
  kept = new Map();
});

const storage = {
  get: async (name: string) => kept.get(name),
  set: async (name: string, value: string) => void kept.set(name, value),
  delete: async (name: string) => void kept.delete(name),
};

/** What becomes of the answers of each request when it is read. */
const expertWhere = (outcomes: Readonly<Record<string, 'sent' | 'kept' | 'not_found'>>, read: string[]) =>
  ({
    async request(requestId) {
      const outcome = outcomes[requestId];
      if (outcome === 'not_found') throw new RelayError('not_found', 'no');
      const refresh = async () => void read.push(requestId);
      return { refresh, unsent: outcome === 'kept' ? ['Yes.'] : [] } as unknown as ExpertRequest;
    },
  }) satisfies Pick<Expert, 'request'>;

test('a page that is loaded later sends what was begun, and forgets what went out or is gone', async () => {
  await Promise.all(['r1', 'r2', 'r3', 'r4'].map((id) => noteUnsent(storage, id, true)));
  await noteUnsent(storage, 'r4', false);
  const read: string[] = [];
  await sendUnsent(expertWhere({ r1: 'sent', r2: 'kept', r3: 'not_found' }, read), storage);
  expect(read).toEqual(['r1', 'r2']);
  await sendUnsent(expertWhere({ r2: 'sent' }, read), storage);
  expect(read).toEqual(['r1', 'r2', 'r2']);
  expect(kept.size).toBe(0);
});

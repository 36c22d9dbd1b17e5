// What a bot keeps in a folder, so that it is the same expert after a restart, and the relay cannot show it other questions then.
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createFileStore } from '@expert-relay/sdk/node';

export async function openFolder(folder) {
  const store = createFileStore(folder);
  // All of the expert's keys are derived from the root. Anyone who has it can act as this expert.
  const first = await store.remember('root', Buffer.from(makeRoot()).toString('base64'));
  return { root: new Uint8Array(Buffer.from(first, 'base64')), store };
}

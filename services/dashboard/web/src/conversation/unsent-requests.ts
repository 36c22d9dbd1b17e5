import type { Expert } from '@expert-relay/sdk/expert';
import type { Storage } from '../storage/storage.ts';
import { codeOf } from './refusal-sentences.ts';

const name = 'unsent-requests';
type Names = Pick<Storage, 'get' | 'set' | 'delete'>;

let queue: Promise<unknown> = Promise.resolve();

/** Remembers which requests have answers that have not gone out. */
export function noteUnsent(storage: Names, requestId: string, isUnsent: boolean): Promise<void> {
  const noting = queue.then(async () => {
    const others = (await read(storage)).filter((id) => id !== requestId);
    const ids = isUnsent ? [...others, requestId] : others;
    if (ids.length > 0) await storage.set(name, JSON.stringify(ids));
    else await storage.delete(name);
  });
  queue = noting.catch(() => {});
  return noting;
}

/** Answers that were begun before the page was loaded go out, whether or not their conversation is opened. */
export async function sendUnsent(expert: Pick<Expert, 'request'>, storage: Names): Promise<void> {
  for (const requestId of await read(storage)) {
    try {
      const request = await expert.request(requestId);
      await request.refresh();
      if (request.unsent.length === 0) await noteUnsent(storage, requestId, false);
    } catch (error) {
      if (codeOf(error) === 'not_found') await noteUnsent(storage, requestId, false);
    }
  }
}

const read = async (storage: Names): Promise<string[]> => JSON.parse((await storage.get(name)) ?? '[]');

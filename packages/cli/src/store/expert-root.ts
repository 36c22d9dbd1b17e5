import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { openStore, storeFolder } from './store.ts';

const prefix = 'root:';
const base64Root = z.base64().refine((text) => Buffer.from(text, 'base64').length === 32);

/**
 * The root of an expert, which allows reading all conversations of that expert. It is found by the API key: if it were found by the
 * user id, the relay could choose another expert's root, or none.
 */
export function openExpertRoot(folder: string, apiKey: string) {
  const store = openStore(folder, 'experts');
  const name = `${prefix}${createHash('sha256').update(apiKey).digest('hex').slice(0, 32)}`;
  return {
    async read() {
      const text = await store.get(name);
      if (text === undefined) return undefined;
      if (base64Root.safeParse(text).success) return new Uint8Array(Buffer.from(text, 'base64'));
      throw new Failure(
        'state',
        `The file of your keys in ${storeFolder(folder, 'experts')}, which begins with root, is damaged. Put it back from a backup, or remove it: \`relay keys restore\` brings them back with their recovery code.`,
      );
    },
    write: (root: Uint8Array) => store.set(name, Buffer.from(root).toString('base64')),
    remove: () => store.delete(name),
  };
}

/** Whether there is any expert's root. */
export const hasExpertRoot = async (folder: string): Promise<boolean> =>
  (await openStore(folder, 'experts').names(prefix)).length > 0;

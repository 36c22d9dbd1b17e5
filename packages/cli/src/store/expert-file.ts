import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type JsonFile, openJsonFile } from './json-file.ts';

const schema = z.object({
  version: z.literal(1),
  root: z.base64().refine((text) => Buffer.from(text, 'base64').length === 32),
});

/** Where an expert's root is kept: whoever reads it, reads all conversations of that expert. */
export function openExpertFile(
  relayFolder: string,
  userId: string,
): Omit<JsonFile<Uint8Array<ArrayBuffer>>, 'create'> {
  const file = openJsonFile({
    path: join(relayFolder, `expert-${userId.replace(/[^0-9a-zA-Z-]/g, '')}.json`),
    schema,
    withoutIt: '`relay keys restore` brings the identity back with its recovery code.',
  });
  return {
    path: file.path,
    read() {
      const kept = file.read();
      return kept && new Uint8Array(Buffer.from(kept.root, 'base64'));
    },
    write: (root) => file.write({ version: 1, root: Buffer.from(root).toString('base64') }),
    remove: file.remove,
  };
}

/** Whether any expert's root is kept there. */
export const hasExpertFile = (relayFolder: string): boolean =>
  readdirSync(relayFolder).some((name) => /^expert-.*\.json$/.test(name));

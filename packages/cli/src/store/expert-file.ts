import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type JsonFile, openJsonFile } from './json-file.ts';
import { makePrivateFolder } from './private-folder.ts';

const schema = z.object({
  version: z.literal(1),
  root: z.base64().refine((text) => Buffer.from(text, 'base64').length === 32),
});

const digest = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex').slice(0, 32);

const folderOf = (folder: string): string => join(folder, 'experts');

/**
 * The file with an expert's root, which allows reading all conversations of that expert. It is found by the API key: if
 * it were found by the user id, the relay could choose another expert's root, or none.
 */
export function openExpertFile(
  folder: string,
  apiKey: string,
): Omit<JsonFile<Uint8Array<ArrayBuffer>>, 'create'> {
  makePrivateFolder(folder);
  makePrivateFolder(folderOf(folder));
  const file = openJsonFile({
    path: join(folderOf(folder), `${digest(apiKey)}.json`),
    schema,
    withoutIt: '`relay keys restore` brings the identity back with its recovery code.',
  });
  return {
    path: file.path,
    read() {
      const stored = file.read();
      return stored && new Uint8Array(Buffer.from(stored.root, 'base64'));
    },
    write: (root) => file.write({ version: 1, root: Buffer.from(root).toString('base64') }),
    remove: file.remove,
  };
}

/** Whether the folder contains any expert's root. */
export const hasExpertFile = (folder: string): boolean =>
  existsSync(folderOf(folder)) && readdirSync(folderOf(folder)).some((name) => name.endsWith('.json'));

import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Memory } from '@expert-relay/sdk';
import { z } from 'zod';
import { openJsonFile } from './json-file.ts';
import { openPrivateFolder } from './private-folder.ts';

const schema = z.object({ version: z.literal(1), value: z.string() });

/**
 * The SDK's memory for one API key: an agent's expert, or the keys, the question and the reference code of each request
 * that an expert has read. Another key of the same user has its own memory, since only the relay knows the user.
 */
export interface StoredMemory extends Memory {
  values(): string[];
  forget(): void;
  /** Removes values that were last written longer ago than this, in milliseconds. */
  forgetOlderThan(age: number): void;
}

export function openMemory(folder: string, apiKey: string, now: () => number): StoredMemory {
  const path = join(folder, 'remembered', digest(apiKey));
  openPrivateFolder(folder);
  openPrivateFolder(path);
  const open = (fileName: string) =>
    openJsonFile({
      path: join(path, fileName),
      schema,
      withoutIt: 'its expert or request then counts as unknown.',
    });
  const fileOf = (name: string) => open(`${digest(name)}.json`);
  const files = () => readdirSync(path).filter((name) => /^[0-9a-f]+\.json$/.test(name));
  return {
    get: async (name) => fileOf(name).read()?.value,
    set: async (name, value) => fileOf(name).write({ version: 1, value }),
    async remember(name, value) {
      const file = fileOf(name);
      return file.create({ version: 1, value }) ? value : (file.read()?.value ?? value);
    },
    values: () => files().flatMap((name) => open(name).read()?.value ?? []),
    forget: () => rmSync(path, { recursive: true, force: true }),
    forgetOlderThan(age) {
      for (const name of files()) {
        const file = join(path, name);
        const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: now() };
        if (mtimeMs + age < now()) rmSync(file, { force: true });
      }
    },
  };
}

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

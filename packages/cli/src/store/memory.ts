import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Memory } from '@expert-relay/sdk';
import * as z from 'zod';
import { openJsonFile } from './json-file.ts';
import { makePrivateFolder } from './private-folder.ts';

const schema = z.object({ version: z.literal(1), value: z.string() });

/**
 * The SDK's memory: the experts that agents know and the codes of their questions, or the keys, the question and the code
 * of each request that an expert has read. It belongs to all API keys, since a rotated key must not forget; the SDK keeps
 * their values apart.
 */
export interface StoredMemory extends Memory {
  values(): string[];
  /** Removes the values that match. */
  forget(matches: (value: string) => boolean): void;
  /** Removes values that were last written longer ago than this, in milliseconds. */
  forgetOlderThan(age: number): void;
}

export function openMemory(folder: string, side: 'agents' | 'experts', now: () => number): StoredMemory {
  const path = join(folder, 'remembered', side);
  makePrivateFolder(folder);
  makePrivateFolder(path);
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
    forget(matches) {
      for (const name of files()) {
        const value = open(name).read()?.value;
        if (value !== undefined && matches(value)) rmSync(join(path, name), { force: true });
      }
    },
    forgetOlderThan(age) {
      for (const name of files()) {
        const file = join(path, name);
        const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: now() };
        if (mtimeMs + age < now()) rmSync(file, { force: true });
      }
    },
  };
}

/** Whether a value is an expert's fingerprint. */
export const isFingerprint = (value: string): boolean => /^\d{5}( \d{5}){7}$/.test(value);

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

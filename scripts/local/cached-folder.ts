import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLock } from '../../packages/cli/src/store/lock-file.ts';

/** Makes a folder unless it is there: one process fills it while all others wait. When it fails, nothing is left. */
export async function makeOnce(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const [lock, draft] = [`${folder}.lock`, `${folder}.part`];
  mkdirSync(dirname(folder), { recursive: true });
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await pause(500);
      continue;
    }
    try {
      if (existsSync(folder)) return;
      // Of a process that was killed.
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft);
      await fill(draft);
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
      rmSync(lock);
    }
  }
}

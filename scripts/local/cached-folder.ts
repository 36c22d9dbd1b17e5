import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLock } from '../../packages/cli/src/store/lock-file.ts';

/**
 * Makes a folder unless it is there: one process fills it while all others wait. When it fails, nothing is left. A folder of
 * another user is refused, since its programs would be run.
 */
export async function makeOnce(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const [lock, draft] = [`${folder}.lock`, `${folder}.part`];
  mkdirSync(dirname(folder), { recursive: true });
  for (;;) {
    if (existsSync(folder)) {
      requireOwn(folder);
      return;
    }
    if (!takeLock(lock)) {
      await pause(500);
      continue;
    }
    try {
      if (existsSync(folder)) continue;
      // Of a process that was killed.
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft);
      await fill(draft);
      renameSync(draft, folder);
    } finally {
      // Children of a program that was stopped may still write for a moment.
      rmSync(draft, { recursive: true, force: true, maxRetries: 20 });
      rmSync(lock);
    }
  }
}

/** Throws unless this is a folder of this user, or of root, that not everyone may write into. */
function requireOwn(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const isFolder = (mode & 0o170000) === 0o040000;
  if (isFolder && [0, process.getuid?.()].includes(uid) && (mode & 0o002) === 0) return;
  throw new Error(
    `${folder} is not a folder of this user alone. Look at it, and remove it: it is made again.`,
  );
}

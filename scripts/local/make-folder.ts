import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StepError } from '../terminal/failure.ts';

/**
 * Makes a folder with its parents, one by one: `mkdirSync` with `recursive` never returns where the system answers ENOENT for a
 * parent that exists, as it does below /proc.
 */
export function makeFolder(folder: string): string {
  if (existsSync(folder)) return folder;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    // Another process has made it in the meantime.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** A folder that files can be made in; the error names the setting that leads there. */
export function makeWritableFolder(folder: string, setting: string): string {
  try {
    rmdirSync(mkdtempSync(join(makeFolder(folder), '.writable-')));
    return folder;
  } catch (error) {
    const { message } = error as Error;
    throw new StepError(
      `${setting} is ${folder}, which cannot be used: ${message}. Set it to a folder that can be written.`,
    );
  }
}

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { StepError } from '../terminal/step-error.ts';

/** What a file of ours holds; `undefined` when there is none. */
export function readJson<T>(file: string): T | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StepError(`${file} cannot be read (${(error as Error).message}). Give yourself access to it.`);
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new StepError(`${file} is not JSON any more. Mend it, or remove it to have a new one made.`);
  }
}

/** Writes for our eyes only, and so that a reader sees the old or the new, never half of it. */
export function writeJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

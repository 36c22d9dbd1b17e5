import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** The programs of these names in these folders, the first name's first. */
export function executables(names: readonly string[], folders: readonly string[]): string[] {
  const files = names.flatMap((name) => [...new Set(folders)].map((folder) => join(folder, name)));
  return files.filter(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

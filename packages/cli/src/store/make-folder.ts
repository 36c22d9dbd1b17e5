import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it, unless it is there. The recursive `mkdirSync` of Node never ends where a folder takes no others and
 * says that it is not there, as /proc does.
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const above = dirname(path);
    // Above a drive of Windows that is not there is the drive itself.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path || existsSync(above))
      throw error;
    makeFolder(above, mode);
    makeFolder(path, mode);
  }
}

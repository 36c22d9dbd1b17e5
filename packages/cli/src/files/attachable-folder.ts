import { constants, readlinkSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { type FileContent, readFileToSend } from './file-to-send.ts';

/** The only folder whose files a model may attach. */
export interface AttachableFolder {
  /** As its user has written it. */
  readonly path: string;
  /**
   * Reads a file in it. The path is checked after links are resolved: one that leads out of the folder is refused.
   * @throws Failure `usage`
   */
  read(path: string): FileContent;
}

/** @throws Failure `usage` when it is no folder */
export function openAttachableFolder(path: string): AttachableFolder {
  const root = realOf(path);
  if (root === undefined || !statSync(root).isDirectory()) {
    throw new Failure('usage', `--files: ${path} is no folder that can be read. Name another one.`);
  }
  return {
    path,
    read(wanted) {
      const real = realOf(resolve(root, wanted));
      // The answer is the same for files outside that exist and that do not exist.
      if (real === undefined || !isInside(root, real)) throw notThere(wanted);
      const check = (file: number) => {
        // Another program may have replaced a folder by a link. Linux knows the path of an open file.
        const opened = resolved(() => readlinkSync(`/proc/self/fd/${file}`)) ?? realOf(real);
        if (opened !== real) throw notThere(wanted);
      };
      return readFileToSend(real, { check, flags: constants.O_NOFOLLOW });
    },
  };
}

const notThere = (path: string) =>
  new Failure(
    'usage',
    `There is no file ${JSON.stringify(path)} in the folder that files may be attached from. Links that lead out of it are not followed. Nothing was sent.`,
  );

const realOf = (path: string) => resolved(() => realpathSync(path));

function resolved(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

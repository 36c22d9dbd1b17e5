import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalidInput } from '../relay-error.ts';

/** No write takes this long. */
const abandonedAfterMs = 24 * 3_600_000;

const temporaryFile = /.\.[0-9a-f-]{36}\.new$/;

/** A folder whose files only this user can read. */
export interface PrivateFolder {
  /** Undefined when there is no such file. */
  read(name: string): Promise<string | undefined>;
  /** Readers see the old or the new text, never a part, also after a crash. */
  write(name: string, text: string): Promise<void>;
  /** Writes unless there is a file, and returns what it has then: of several processes, the first one counts. */
  writeFirst(name: string, text: string): Promise<string>;
  remove(name: string): Promise<void>;
  names(): Promise<readonly string[]>;
  /** When the file was written, in milliseconds since 1970. */
  writtenAt(name: string): Promise<number>;
}

/** The recursive `mkdir` of Node never ends where a folder takes no others and says that it is not there, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  // Above a drive of Windows that is not there is the drive itself.
  if (above !== path) await makeFolder(above);
  await mkdir(path, { mode: 0o700 }).catch(async (error) => {
    // Another process may have made it in the meantime.
    if (!(await isFolder(path))) throw error;
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Makes the folder at its first use. It is an error if other users can enter it. */
export function openPrivateFolder(path: string): PrivateFolder {
  let making: Promise<void> | undefined;
  async function make(): Promise<void> {
    await makeFolder(path);
    const { mode } = await stat(path);
    // Windows has no such modes.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw invalidInput(
        `Other users can enter the folder ${path}, which has private keys. Close it: chmod 700 '${path}'`,
      );
    await removeAbandoned();
  }

  /** Removes the temporary files of processes that were killed while they wrote: they may have private keys. */
  async function removeAbandoned(): Promise<void> {
    for (const name of (await readdir(path)).filter((one) => temporaryFile.test(one))) {
      try {
        const { mtimeMs } = await stat(join(path, name));
        if (mtimeMs < Date.now() - abandonedAfterMs) await rm(join(path, name));
      } catch {
        // Another process may be writing, or may have removed it.
      }
    }
  }
  const made = () => {
    making ??= make().catch((error) => {
      making = undefined;
      throw error;
    });
    return making;
  };

  /** So that a power cut does not bring the old file back. */
  async function syncFolder(): Promise<void> {
    // Windows opens no folders.
    if (process.platform === 'win32') return;
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Writes to a temporary file, and then moves it into its place. */
  async function publish(name: string, text: string, move: typeof rename): Promise<void> {
    await made();
    const draft = join(path, `${name}.${randomUUID()}.new`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await move(draft, join(path, name));
      await syncFolder();
    } finally {
      await rm(draft, { force: true });
    }
  }

  async function read(name: string): Promise<string | undefined> {
    await made();
    return await readFile(join(path, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  return {
    read,
    write: (name, text) => publish(name, text, rename),
    async writeFirst(name, text) {
      const before = await read(name);
      if (before !== undefined) return before;
      await publish(name, text, link).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      return (await read(name)) ?? text;
    },
    remove: async (name) => await rm(join(path, name), { force: true }),
    async names() {
      await made();
      return await readdir(path);
    },
    writtenAt: async (name) => (await stat(join(path, name))).mtimeMs,
  };
}

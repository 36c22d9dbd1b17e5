import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalidInput } from '../relay-error.ts';

/** No write takes this long. */
const abandonedAfterMs = 24 * 3_600_000;

const temporaryFile = /.\.[0-9a-f-]{36}\.new$/;

/** A folder whose files only this user can read. It is made at its first use. It is an error if other users can enter it. */
export class PrivateFolder {
  readonly #path: string;
  #making: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined when there is no such file. */
  async read(name: string): Promise<string | undefined> {
    await this.#make();
    return await readFile(join(this.#path, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  /** Readers see the old or the new text, never a part, also after a crash. */
  async write(name: string, text: string): Promise<void> {
    await this.#publish(name, text, rename);
  }

  /** Writes unless there is a file, and returns what it has then: of several processes, the first one counts. */
  async writeFirst(name: string, text: string): Promise<string> {
    const before = await this.read(name);
    if (before !== undefined) return before;
    await this.#publish(name, text, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return (await this.read(name)) ?? text;
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#path, name), { force: true });
  }

  async names(): Promise<readonly string[]> {
    await this.#make();
    return await readdir(this.#path);
  }

  /** When the file was written, in milliseconds since 1970. */
  async writtenAt(name: string): Promise<number> {
    return (await stat(join(this.#path, name))).mtimeMs;
  }

  async #make(): Promise<void> {
    this.#making ??= makePrivate(this.#path).catch((error) => {
      this.#making = undefined;
      throw error;
    });
    await this.#making;
  }

  /** Writes to a temporary file, and then moves it into its place. */
  async #publish(name: string, text: string, move: typeof rename): Promise<void> {
    await this.#make();
    const draft = join(this.#path, `${name}.${randomUUID()}.new`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await move(draft, join(this.#path, name));
      await syncFolder(this.#path);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

async function makePrivate(path: string): Promise<void> {
  await makeFolder(path);
  const { mode } = await stat(path);
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw invalidInput(
      `Other users can enter the folder ${path}, which has private keys. Close it: chmod 700 '${path}'`,
    );
  await removeAbandoned(path);
}

/** Removes the temporary files of processes that were killed while they wrote: they may have private keys. */
async function removeAbandoned(path: string): Promise<void> {
  for (const name of (await readdir(path)).filter((one) => temporaryFile.test(one))) {
    try {
      const { mtimeMs } = await stat(join(path, name));
      if (mtimeMs < Date.now() - abandonedAfterMs) await rm(join(path, name));
    } catch {
      // Another process may be writing, or may have removed it.
    }
  }
}

/** So that a power cut does not bring the old file back. */
async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
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

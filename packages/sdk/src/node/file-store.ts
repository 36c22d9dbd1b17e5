import { join } from 'node:path';
import { invalidInput } from '../relay-error.ts';
import type { Store } from '../store.ts';
import { PrivateFolder } from './private-folder.ts';

/** A relay keeps a conversation no longer by default: three days, and thirty days of retention. */
const keptForMs = 33 * 24 * 3_600_000;

/** What belongs to one conversation or request. Known experts, secrets and the like stay. */
const isPassing = (name: string): boolean =>
  /(^|:)(conversation|once|code|outbox|sealed|outcome|declined|withdrawn|request|ends|shown)(:|$)/.test(name);

/**
 * A store in a folder that only this user can read: one file for each value, replaced as a whole, so that a process may be killed at any
 * time. What belongs to one conversation is removed once it was not written for 33 days.
 *
 * @example
 * const store = createFileStore('.agent');
 * const relay = createRelay({ store });
 * const { approved } = await relay.approve('Deploy 4711?', { once: 'deploy 4711' });
 */
export function createFileStore(path: string): Store {
  const folder = new PrivateFolder(path);
  let isClean = false;

  const names = async () => (await folder.names()).filter((file) => file.endsWith(suffix)).map(nameOf);

  async function removeOld(): Promise<void> {
    const oldest = Date.now() - keptForMs;
    for (const name of await names()) {
      if (!isPassing(name)) continue;
      try {
        if ((await folder.writtenAt(fileOf(name))) < oldest) await folder.remove(fileOf(name));
      } catch {
        // Another process may have removed it. One that cannot be removed must not keep the others.
      }
    }
  }

  async function afterWriting<T>(written: T): Promise<T> {
    if (isClean) return written;
    isClean = true;
    // The value is stored. The next process cleans again.
    await removeOld().catch(() => {});
    return written;
  }

  /** A part of a value would look like another value, as if the relay lied. */
  function parse(text: string, name: string): string {
    try {
      const value = JSON.parse(text);
      if (typeof value === 'string') return value;
    } catch {
      // As one of another type.
    }
    throw invalidInput(
      `The file ${join(path, fileOf(name))} is damaged: put it back from a backup, or remove it.`,
    );
  }

  return {
    async get(name) {
      const text = await folder.read(fileOf(name));
      return text === undefined ? undefined : parse(text, name);
    },
    set: async (name, value) => await folder.write(fileOf(name), JSON.stringify(value)).then(afterWriting),
    async remember(name, value) {
      const text = await folder.writeFirst(fileOf(name), JSON.stringify(value)).then(afterWriting);
      return parse(text, name);
    },
    delete: (name) => folder.remove(fileOf(name)),
    names: async (prefix) => (await names()).filter((name) => name.startsWith(prefix)),
  };
}

const suffix = '.value';

/** Windows allows no colons in the names of files. */
function fileOf(name: string): string {
  const file = encodeURIComponent(name).replaceAll('.', '%2E').replaceAll('%3A', '.');
  if (file.length > 200) throw invalidInput(`The name of a stored value is too long: ${name}.`);
  return `${file}${suffix}`;
}

const nameOf = (file: string): string =>
  decodeURIComponent(file.slice(0, -suffix.length).replaceAll('.', ':'));

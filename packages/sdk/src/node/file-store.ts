import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type ConversationState, checkState } from '../agent/conversation-state.ts';
import type { ConversationStore } from '../agent/relay.ts';
import { fromBase64, toBase64 } from '../crypto/base64.ts';
import type { Memory } from '../memory.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import { openPrivateFolder, type PrivateFolder } from './private-folder.ts';

/**
 * A store in a folder: see {@link createFileStore}.
 *
 * @example
 * const store: FileStore = createFileStore('.agent');
 * for (const state of await store.list()) await relay.resume(state);
 */
export interface FileStore extends Required<ConversationStore> {
  readonly memory: Memory;
}

/** A relay keeps a conversation no longer by default: three days, and thirty days of retention. */
const keptForMs = 33 * 24 * 3_600_000;

const stateFile = /^([0-9a-f-]{36})\.json$/;

/**
 * Keeps conversations in a folder that only this user can read: one file for each, replaced as a whole, so that a process
 * may be killed at any time. Files that were not written for 33 days are removed. The folder belongs to one agent at one relay.
 *
 * @example
 * const store = createFileStore('.agent');
 * const relay = createRelay({ store });
 * const { approved } = await relay.approve('Deploy 4711?', { once: 'deploy 4711' });
 */
export function createFileStore(path: string): FileStore {
  const folder = openPrivateFolder(path);
  let isClean = false;

  async function removeOld(): Promise<void> {
    const oldest = Date.now() - keptForMs;
    for (const name of await folder.names()) {
      if (!stateFile.test(name)) continue;
      try {
        if ((await folder.writtenAt(name)) < oldest) await folder.remove(name);
      } catch {
        // Another process may have removed it. One that cannot be removed must not keep the others.
      }
    }
  }

  async function find(id: string): Promise<ConversationState | undefined> {
    const text = await folder.read(nameOf(id));
    return text === undefined ? undefined : parseState(text, join(path, nameOf(id)));
  }

  /** One damaged file must not keep the other conversations. */
  const findIntact = (id: string) =>
    find(id).catch((error: unknown) => {
      if (RelayError.is(error, 'invalid_input')) return undefined;
      throw error;
    });

  return {
    find,
    async save(state) {
      await folder.write(nameOf(state.id), JSON.stringify(state));
      if (isClean) return;
      isClean = true;
      // The state is saved. The next process cleans again.
      await removeOld().catch(() => {});
    },
    async list() {
      const ids = (await folder.names()).flatMap((name) => stateFile.exec(name)?.[1] ?? []);
      const states = (await Promise.all(ids.map(findIntact))).filter((state) => state !== undefined);
      return states.filter(mayGoOn).sort((one, other) => endOf(one).localeCompare(endOf(other)));
    },
    forget: async (id) => await folder.remove(nameOf(id)),
    async secret() {
      const secret = fromBase64(await folder.writeFirst('secret', toBase64(randomBytes(32))));
      if (secret?.length === 32) return secret;
      throw invalidInput(`The file ${join(path, 'secret')} was changed: put it back.`);
    },
    memory: createFileMemory(openPrivateFolder(join(path, 'memory'))),
  };
}

/** An id becomes the name of a file. */
function nameOf(id: string): string {
  const name = `${id}.json`;
  if (stateFile.test(name)) return name;
  throw invalidInput('This is not the id of a conversation: give the `id` of one that was saved.');
}

function parseState(text: string, path: string): ConversationState {
  try {
    const state = JSON.parse(text);
    checkState(state);
    return state;
  } catch (cause) {
    throw new RelayError(
      'invalid_input',
      `The file ${path} cannot be used: put it back from a backup, or move it away.`,
      { cause },
    );
  }
}

const mayGoOn = ({ request, thread }: ConversationState): boolean =>
  !request || !hasEnded(request) || (thread?.messages ?? []).length > 0;

/** Those that may not have reached the relay come last. */
const endOf = ({ request }: ConversationState): string => request?.expiresAt ?? '9';

function createFileMemory(folder: PrivateFolder): Memory {
  const fileOf = (name: string) => createHash('sha256').update(name).digest('hex');
  return {
    get: (name) => folder.read(fileOf(name)),
    set: (name, value) => folder.write(fileOf(name), value),
    remember: (name, value) => folder.writeFirst(fileOf(name), value),
  };
}

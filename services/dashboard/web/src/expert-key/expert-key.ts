import { makeRecoveryCode, makeRoot, openExpert, openVault, sealVault } from '@expert-relay/sdk/crypto';
import type { Tabs } from '../live/tabs.ts';
import { CallError } from '../session/call.ts';
import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';
import { type KeptVault, readVault, writeVault } from './vault-calls.ts';

/** The key that this expert's answers are encrypted with, as this browser has it. */
export type ExpertKeyState =
  | { readonly kind: 'loading' }
  /** The page was not loaded over https or from this machine, so browsers offer it no cryptography. */
  | { readonly kind: 'unsupported' }
  /** The expert has none yet: it is made at the first answer to an encrypted request. */
  | { readonly kind: 'missing' }
  /** Another device has it: the recovery code opens it here. */
  | { readonly kind: 'locked' }
  /** Another device has made a new one, so that the one of this browser is out of date. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'ready'; readonly root: Uint8Array; readonly fingerprint: string };

/** A key that was made and is not in use yet: first the expert keeps the code. */
export interface NewKey {
  readonly recoveryCode: string;
  /** Keeps it at the relay, wrapped by the code, and in this browser. */
  confirm(): Promise<void>;
}

export interface ExpertKey {
  readonly state: Store<ExpertKeyState>;
  /** Reads what this browser and the relay have. */
  load(): Promise<void>;
  /** Makes a key. With one that exists already, the new one takes its place at `confirm`. */
  make(): Promise<NewKey>;
  /** A new recovery code for the key of this browser: the old code opens only copies of the old vault. */
  renewCode(): Promise<NewKey>;
  /** @throws RelayError `wrong_recovery_code`, `malformed_vault` */
  open(recoveryCode: string): Promise<void>;
}

const rootName = 'expert-root';

export function createExpertKey({ storage, tabs }: { storage: Storage; tabs: Tabs }): ExpertKey {
  const state = createStore<ExpertKeyState>({ kind: 'loading' });

  tabs.listen((message) => {
    if (message.type === 'key-changed') void load();
  });

  async function load(): Promise<void> {
    if (!globalThis.crypto?.subtle) {
      state.set({ kind: 'unsupported' });
      return;
    }
    const [kept, inUse] = await Promise.all([storage.get(rootName), readVault()]);
    const root = kept === undefined ? undefined : fromBase64(kept);
    if (!inUse) state.set(root ? await ready(root) : { kind: 'missing' });
    else if (!root) state.set({ kind: 'locked' });
    else if ((await identityOf(root)) === inUse.vault.identity) state.set(await ready(root));
    else state.set({ kind: 'replaced' });
  }

  async function keep(root: Uint8Array): Promise<void> {
    await storage.set(rootName, toBase64(root));
    // Browsers remove what pages keep when they need room, unless they were asked not to.
    void navigator.storage?.persist?.();
    state.set(await ready(root));
    tabs.send({ type: 'key-changed' });
  }

  /** Wraps a root by a new code; nothing is in use before `confirm`. */
  async function prepare(root: Uint8Array, replaced: KeptVault | undefined): Promise<NewKey> {
    const recoveryCode = await makeRecoveryCode();
    const vault = await sealVault(root, recoveryCode);
    return {
      recoveryCode,
      async confirm() {
        try {
          await writeVault(vault, replaced);
        } catch (error) {
          // Another device was faster: its key is the expert's, and this one was never used.
          if (error instanceof CallError && [412, 428].includes(error.status)) await load();
          throw error;
        }
        await keep(root);
      },
    };
  }

  return {
    state,
    load,
    make: async () => prepare(makeRoot(), await readVault()),
    async renewCode() {
      const now = state.get();
      if (now.kind !== 'ready') throw new Error('This browser has no expert key.');
      return prepare(now.root, await readVault());
    },
    async open(recoveryCode) {
      const inUse = await readVault();
      if (!inUse) return load();
      await keep(await openVault(inUse.vault, recoveryCode));
    },
  };
}

async function ready(root: Uint8Array): Promise<ExpertKeyState> {
  const { fingerprint } = await openExpert(root);
  return { kind: 'ready', root, fingerprint };
}

async function identityOf(root: Uint8Array): Promise<string> {
  return toBase64((await openExpert(root)).identity.raw);
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

import { makeRoot, openExpertKeys, type Vault } from '@expert-relay/sdk/crypto';
import type { StoredVault } from '@expert-relay/sdk/expert';
import { fromBase64, toBase64 } from '@expert-relay/sdk/internal';
import { CallError, isConflict } from '../relay/call.ts';
import type { Tabs } from '../relay/tabs.ts';
import type { Storage } from '../storage/storage.ts';
import { loadCode } from '../ui/lazy-page.tsx';
import { createStore, type Store } from '../ui/store.ts';
import { readVault, writeVault } from './vault-calls.ts';

/** It is needed once in each browser. */
const loadVaultCode = () => loadCode(() => import('./vault-code.ts'));

/** The state of the expert key in this browser. */
export type ExpertKeyState =
  /** The vault was not read yet. What was remembered with the `root` of this browser counts already. */
  | { readonly kind: 'loading'; readonly root?: Uint8Array | undefined }
  /** Browsers before 2025 lack X25519 and Ed25519. */
  | { readonly kind: 'unsupported' }
  /** The expert has no key yet. It is made at the first answer to an encrypted request. */
  | { readonly kind: 'missing' }
  /** Another device has the key. The recovery code opens it here. */
  | {
      readonly kind: 'locked';
      /** The other device made it while this browser was making one, which is not used. */
      readonly wasMadeMeanwhile?: boolean;
    }
  /** Another device has made a new key, so this browser's key is out of date. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'ready'; readonly root: Uint8Array; readonly fingerprint: string };

/** A new key or code. It is used only after the expert has confirmed the recovery code. */
export interface NewKey {
  readonly recoveryCode: string;
  readonly fingerprint: string;
  /**
   * Stores it at the relay, encrypted with the code, and in this browser. It may be called again after a failure. If the expert has not
   * kept the code, this browser asks for that until a new code was kept.
   *
   * @throws CallError `isConflict` when another device was faster: then `state` describes the key of that device
   */
  confirm(isCodeKept: boolean): Promise<void>;
}

/** What another device or program has replaced in the vault since this browser last saw it: the key, or only its code. */
export type VaultChange = 'key' | 'code';

export interface ExpertKey {
  readonly state: Store<ExpertKeyState>;
  /** Undefined when the vault is the one that this browser knows. */
  readonly change: Store<VaultChange | undefined>;
  /** Whether the key was made here, and its recovery code is still to be kept. */
  readonly isCodeDue: Store<boolean>;
  /** The expert has read about the change. */
  acceptChange(): Promise<void>;
  /** Reads the key from this browser. It must happen before anything is compared with what was shown earlier. */
  restore(): Promise<void>;
  /** Reads the key from this browser and the vault from the relay. */
  load(): Promise<void>;
  /** Loads, with retries, and again after a long time in the background. */
  follow(): void;
  /** Makes a key. An existing key is replaced at `confirm`. */
  make(): Promise<NewKey>;
  /** Makes a new recovery code for the key of this browser. The old code opens only copies of the old vault. */
  renewCode(): Promise<NewKey>;
  /** @throws RelayError `wrong_recovery_code`, `untrusted` (`malformed_vault`) */
  open(recoveryCode: string): Promise<void>;
  /** Removes it from this browser. The recovery code brings it back. */
  forget(): Promise<void>;
}

/** The name of the fingerprint of the user's expert key in the storage. The key itself is filed under the fingerprint. */
export const fingerprintName = 'expert-fingerprint';
const rootNameOf = (fingerprint: string) => `${fingerprint}:expert-root`;
/** The vault that this browser saw last. */
const seenName = 'expert-vault';
const codeDueName = 'recovery-code-due';
const firstRetryMs = 2_000;
const lastRetryMs = 30_000;
/** After this time in the background the key is read again. */
const outdatedMs = 10 * 60_000;

type Ready = Extract<ExpertKeyState, { kind: 'ready' }>;

export function createExpertKey({
  storage,
  tabs,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'delete' | 'deleteOf'>;
  tabs: Pick<Tabs, 'send' | 'listen'>;
}): ExpertKey {
  const state = createStore<ExpertKeyState>({ kind: 'loading' });
  const change = createStore<VaultChange | undefined>(undefined);
  const isCodeDue = createStore(false);
  /** The root as it is stored, and as it was read: the same object each time, so that React does not render again. */
  let stored: { readonly text: string; readonly root: Uint8Array | undefined } | undefined;
  let changes = 0;
  let readAt = 0;

  tabs.listen((message) => {
    if (message.type === 'key-changed') void load().catch(() => {});
  });

  async function load(): Promise<void> {
    const turn = ++changes;
    const found = await read();
    // A later change has made this result out of date.
    if (turn !== changes) return;
    readAt = Date.now();
    state.set(found);
  }

  async function read(): Promise<ExpertKeyState> {
    if (!(await canEncrypt())) return { kind: 'unsupported' };
    isCodeDue.set((await storage.get(codeDueName).catch(() => undefined)) !== undefined);
    const [kept, inUse] = await Promise.all([readRoot(), readVault()]);
    await compareWithSeen(inUse?.vault);
    if (!kept) return inUse ? { kind: 'locked' } : { kind: 'missing' };
    if (inUse && (await identityOf(kept)) !== inUse.vault.identity) return { kind: 'replaced' };
    const found = await ready(kept);
    const now = state.get();
    // The same object for the same key.
    return now.kind === 'ready' && now.fingerprint === found.fingerprint ? now : found;
  }

  async function compareWithSeen(vault: Vault | undefined): Promise<void> {
    if (!vault) return;
    const seen = await storage.get(seenName).catch(() => undefined);
    if (seen === undefined) return rememberVault(vault);
    const [identity = '', ciphertext] = seen.split(' ');
    change.set(identity !== vault.identity ? 'key' : ciphertext !== vault.ciphertext ? 'code' : undefined);
  }

  async function rememberVault({ identity, ciphertext }: Vault): Promise<void> {
    await storage.set(seenName, `${identity} ${ciphertext}`).catch(() => {});
    change.set(undefined);
  }

  /** A damaged stored key counts as missing: the recovery code restores it. */
  async function readRoot(): Promise<Uint8Array | undefined> {
    try {
      const fingerprint = await storage.get(fingerprintName);
      const kept = fingerprint && (await storage.get(rootNameOf(fingerprint)));
      if (!kept) return undefined;
      if (stored?.text !== kept) stored = { text: kept, root: fromBase64(kept) };
      return stored.root?.length === 32 ? stored.root : undefined;
    } catch {
      return undefined;
    }
  }

  async function adoptRoot(root: Uint8Array): Promise<void> {
    changes += 1;
    const found = await ready(root);
    // The key is in use now. A browser that cannot store it has it until the page is closed.
    await storeRoot(found).catch(() => {});
    // Browsers may delete stored data when the disk is full, unless persistence was requested.
    void globalThis.navigator?.storage?.persist?.();
    state.set(found);
    tabs.send({ type: 'key-changed' });
  }

  async function storeRoot({ root, fingerprint }: Ready): Promise<void> {
    const before = await storage.get(fingerprintName);
    await storage.set(rootNameOf(fingerprint), toBase64(root));
    await storage.set(fingerprintName, fingerprint);
    if (before !== undefined && before !== fingerprint) await storage.deleteOf(before);
  }

  /** Encrypts a root with a new code. The key is used only after `confirm`. */
  async function prepare(root: Uint8Array, replaced: StoredVault | undefined): Promise<NewKey> {
    const { makeRecoveryCode, sealVault } = await loadVaultCode();
    const recoveryCode = await makeRecoveryCode();
    const vault = await sealVault(root, recoveryCode);
    return {
      recoveryCode,
      fingerprint: (await ready(root)).fingerprint,
      async confirm(isCodeKept) {
        try {
          await writeVault(vault, replaced);
        } catch (error) {
          if (!isConflict(error)) throw error;
          const inUse = await readVault();
          // If the vault is this one, an earlier call wrote it and its answer was lost.
          if (inUse?.vault.ciphertext !== vault.ciphertext) {
            await load();
            if (state.get().kind === 'locked') state.set({ kind: 'locked', wasMadeMeanwhile: true });
            throw error;
          }
        }
        await rememberVault(vault);
        const noted = isCodeKept ? storage.delete(codeDueName) : storage.set(codeDueName, 'yes');
        await noted.catch(() => {});
        isCodeDue.set(!isCodeKept);
        await adoptRoot(root);
      },
    };
  }

  return {
    state,
    change,
    isCodeDue,
    async acceptChange() {
      const inUse = await readVault();
      if (inUse) await rememberVault(inUse.vault);
      tabs.send({ type: 'key-changed' });
    },
    async restore() {
      if (await canEncrypt()) state.set({ kind: 'loading', root: await readRoot() });
    },
    load,
    follow() {
      void loadUntilDone(load, () => state.get().kind !== 'loading');
      document.addEventListener('visibilitychange', () => {
        const isOutdated = Date.now() - readAt > outdatedMs;
        if (document.visibilityState === 'visible' && isOutdated) void load().catch(() => {});
      });
    },
    make: async () => prepare(makeRoot(), await readVault()),
    async renewCode() {
      const now = state.get();
      if (now.kind !== 'ready') throw new Error('This browser has no expert key.');
      const inUse = await readVault();
      if (inUse && inUse.vault.identity !== (await identityOf(now.root))) {
        // A new code for this key would overwrite the newer key.
        await load();
        throw new CallError(
          412,
          'key_replaced',
          'Another device has made a new key. Enter its recovery code.',
        );
      }
      return prepare(now.root, inUse);
    },
    async open(recoveryCode) {
      const inUse = await readVault();
      if (!inUse) return load();
      const { openVault } = await loadVaultCode();
      const root = await openVault(inUse.vault, recoveryCode);
      await rememberVault(inUse.vault);
      await adoptRoot(root);
    },
    async forget() {
      const fingerprint = await storage.get(fingerprintName);
      if (fingerprint !== undefined) await storage.delete(rootNameOf(fingerprint));
      await storage.delete(codeDueName);
      tabs.send({ type: 'key-changed' });
      await load();
    },
  };
}

async function loadUntilDone(load: () => Promise<void>, isDone: () => boolean): Promise<void> {
  for (let wait = firstRetryMs; ; wait = Math.min(lastRetryMs, wait * 2)) {
    try {
      await load();
      // A later change may have replaced this one and failed.
      if (isDone()) return;
    } catch (error) {
      // No retry without a session: signing in reloads the page.
      if (error instanceof CallError && error.status === 401) return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function canEncrypt(): Promise<boolean> {
  try {
    await (await openExpertKeys(makeRoot())).keysFor('test');
    return true;
  } catch {
    return false;
  }
}

async function ready(root: Uint8Array): Promise<Ready> {
  const { fingerprint } = await openExpertKeys(root);
  return { kind: 'ready', root, fingerprint };
}

async function identityOf(root: Uint8Array): Promise<string> {
  return toBase64((await openExpertKeys(root)).identity.raw);
}

import { type ExpertKeys, openExpertKeys } from '@expert-relay/sdk/crypto';
import type { Expert, StoredVault } from '@expert-relay/sdk/expert';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { openExpert } from '../../relay/open-client.ts';
import type { Access } from '../../relay/require-relay.ts';
import { openExpertRoot } from '../../store/expert-root.ts';
import { storeFolder } from '../../store/store.ts';

/** An expert's identity on this machine and in the relay's vault. */
export interface KeyRing {
  readonly relay: Pick<Expert, 'writeVault'>;
  readonly kept: ReturnType<typeof openExpertRoot>;
  /** Where they are kept. */
  readonly folder: string;
  /** The keys of this machine. */
  readonly own: { readonly root: Uint8Array; readonly expert: ExpertKeys } | undefined;
  readonly vault: StoredVault | undefined;
  /** Whether both have the same identity. */
  readonly isInVault: boolean;
}

export async function openKeyRing({ config, signal }: Context, access: Access): Promise<KeyRing> {
  const folder = storeFolder(config.folder, 'experts');
  const kept = openExpertRoot(config.folder, access.apiKey);
  const root = await kept.read();
  const relay = openExpert(access);
  const vault = await relay.readVault({ signal });
  if (!root) return { relay, kept, folder, own: undefined, vault, isInVault: false };
  const expert = await openExpertKeys(root);
  const isInVault = vault?.vault.identity === Buffer.from(expert.identity.raw).toString('base64');
  return { relay, kept, folder, own: { root, expert }, vault, isInVault };
}

interface ShowOptions {
  json: boolean;
  recoveryCode?: string;
}

/** Prints the expert's fingerprint, and whether the vault has the keys. */
export function showKeys({ out, err }: Context, ring: KeyRing, { json, recoveryCode }: ShowOptions): void {
  const fingerprint = ring.own?.expert.fingerprint;
  if (json) {
    const folder = ring.own ? ring.folder : undefined;
    out.line(JSON.stringify({ fingerprint, folder, isInVault: ring.isInVault, recoveryCode }));
    return;
  }
  if (fingerprint === undefined) {
    const next = ring.vault
      ? 'They are on another device. Bring them here: relay keys restore'
      : 'Make them: relay keys make';
    out.paragraph(`This machine has no keys. ${next}`);
    return;
  }
  out.line(`Fingerprint  ${out.paint('bold', fingerprint)}`);
  out.line(`Kept in      ${ring.folder}`);
  out.line(`Recovery     ${ring.isInVault ? 'by the recovery code' : 'none: these keys are nowhere else'}`);
  err.line();
  if (!ring.isInVault)
    err.paragraph('If you lose this machine, you lose your conversations. Make a code: relay keys recovery');
  else err.paragraph('Tell agents your fingerprint over another channel; they set it as RELAY_EXPERT.');
}

/** Removes the keys from this machine. Keys that exist nowhere else need `--for-good`. */
export async function forgetKeys(
  { out }: Context,
  ring: KeyRing,
  { forGood, json }: { forGood: boolean; json: boolean },
): Promise<void> {
  if (ring.own && !ring.isInVault && !forGood) {
    throw new Failure(
      'state',
      'These keys are nowhere else: what was encrypted for them would be lost. Save them first: relay keys recovery. To remove them permanently: relay keys forget --for-good',
    );
  }
  await ring.kept.remove();
  if (json) out.line(JSON.stringify({ forgotten: ring.own !== undefined }));
  else if (!ring.own) out.paragraph('There were no keys on this machine.');
  else if (ring.isInVault)
    out.paragraph('Forgotten here. With the recovery code they come back: relay keys restore');
  else out.paragraph('Forgotten for good.');
}

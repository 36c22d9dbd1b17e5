import { type Expert, openExpert } from '@expert-relay/sdk/crypto';
import type { Context } from '../../context.ts';
import { type KeptVault, readVault } from '../../relay/vault.ts';
import type { Access } from '../../settings/require-relay.ts';
import { openExpertFile } from '../../store/expert-file.ts';

/** An expert's identity, as this machine and the relay's vault have it. */
export interface KeyRing {
  readonly access: Access;
  readonly file: ReturnType<typeof openExpertFile>;
  /** Of this machine. */
  readonly own: { readonly root: Uint8Array; readonly expert: Expert } | undefined;
  readonly vault: KeptVault | undefined;
  /** Whether both are the same identity. */
  readonly isInVault: boolean;
}

export async function openKeyRing({ config, signal }: Context, access: Access): Promise<KeyRing> {
  const file = openExpertFile(config.folder, access.apiKey);
  const root = file.read();
  const vault = await readVault(access, signal);
  if (!root) return { access, file, own: undefined, vault, isInVault: false };
  const expert = await openExpert(root);
  const isInVault = vault?.vault.identity === Buffer.from(expert.identity.raw).toString('base64');
  return { access, file, own: { root, expert }, vault, isInVault };
}

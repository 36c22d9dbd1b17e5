import { makeRecoveryCode } from '@expert-relay/sdk/crypto';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { writeVault } from '../../relay/vault.ts';
import { handOverCode } from './hand-over-code.ts';
import type { KeyRing } from './key-ring.ts';
import { showKeys } from './show-keys.ts';

/** The same keys under a new recovery code; the old code opens nothing any more. */
export async function renewCode(context: Context, ring: KeyRing, { json }: { json: boolean }): Promise<void> {
  if (!ring.own)
    throw new Failure('state', 'This machine has no keys to make a code for. Make them: relay keys make');
  if (ring.vault && !ring.isInVault) {
    throw new Failure(
      'state',
      'The vault holds other keys than this machine. Use those: relay keys restore --replace. Or give both up: relay keys make --replace',
    );
  }
  const code = await makeRecoveryCode();
  if (!json) await handOverCode(context, code);
  await writeVault(ring.access, { root: ring.own.root, code, replaces: ring.vault }, context.signal);
  showKeys(context, { ...ring, isInVault: true }, { json, ...(json && { recoveryCode: code }) });
}

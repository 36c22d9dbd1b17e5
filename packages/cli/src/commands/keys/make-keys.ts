import { makeRecoveryCode, makeRoot, openExpert } from '@expert-relay/sdk/crypto';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { writeVault } from '../../relay/vault.ts';
import { handOverCode } from './hand-over-code.ts';
import type { KeyRing } from './key-ring.ts';
import { showKeys } from './show-keys.ts';

export interface MakeOptions {
  replace: boolean;
  json: boolean;
}

/** A new identity: into the vault first, so that there is never one that only this machine has. */
export async function makeKeys(
  context: Context,
  ring: KeyRing,
  { replace, json }: MakeOptions,
): Promise<void> {
  if (ring.own && !replace) {
    throw new Failure(
      'state',
      'This machine has keys already: see `relay keys`. `relay keys make --replace` gives them up: what was encrypted for them becomes unreadable, and agents that know them refuse the new ones.',
    );
  }
  if (ring.vault && !replace) {
    throw new Failure(
      'state',
      'You have keys on another device. Bring them here by their recovery code: relay keys restore. `relay keys make --replace` gives them up: what was encrypted for them becomes unreadable.',
    );
  }
  const root = makeRoot();
  const code = await makeRecoveryCode();
  if (!json) await handOverCode(context, code);
  await writeVault(ring.access, { root, code, replaces: ring.vault }, context.signal);
  ring.file.write(root);
  const own = { root, expert: await openExpert(root) };
  showKeys(context, { ...ring, own, isInVault: true }, { json, ...(json && { recoveryCode: code }) });
}

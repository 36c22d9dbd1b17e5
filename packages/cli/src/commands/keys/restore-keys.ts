import { openExpert } from '@expert-relay/sdk/crypto';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { unwrapRoot } from '../../relay/vault.ts';
import type { KeyRing } from './key-ring.ts';
import type { MakeOptions } from './make-keys.ts';
import { showKeys } from './show-keys.ts';

/** Brings the vault's keys to this machine, by the code that was shown when they were made. */
export async function restoreKeys(
  context: Context,
  ring: KeyRing,
  { replace, json }: MakeOptions,
): Promise<void> {
  if (!ring.vault)
    throw new Failure(
      'unknown',
      'There is nothing to restore: no keys were made yet. Make them: relay keys make',
    );
  if (ring.own && !ring.isInVault && !replace) {
    throw new Failure(
      'state',
      'This machine has other keys than the vault. `relay keys restore --replace` gives those of this machine up for good.',
    );
  }
  const code = context.input.isTerminal
    ? await context.input.readLine('Recovery code: ')
    : await context.input.readText();
  if (!code?.trim())
    throw new Failure(
      'usage',
      'No recovery code came. Type it, or hand it over: relay keys restore < code.txt',
    );
  const root = await unwrapRoot(ring.vault, code);
  ring.file.write(root);
  showKeys(context, { ...ring, own: { root, expert: await openExpert(root) }, isInVault: true }, { json });
}

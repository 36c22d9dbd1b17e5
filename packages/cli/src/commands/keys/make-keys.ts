import { RelayError } from '@expert-relay/sdk';
import {
  makeRecoveryCode,
  makeRoot,
  openExpertKeys,
  openVault,
  parseRecoveryCode,
  sealVault,
} from '@expert-relay/sdk/crypto';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { type KeyRing, showKeys } from './key-ring.ts';

export interface MakeOptions {
  replace: boolean;
  json: boolean;
}

/** Makes a new identity. It is stored in the vault first, so that no identity exists only on this machine. */
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
  if (!json) await showRecoveryCode(context, code);
  await storeKeys(context, ring, root, code);
  await ring.kept.write(root);
  const own = { root, expert: await openExpertKeys(root) };
  await showMade(context, { ...ring, own, isInVault: true }, { json, code });
}

/** Makes a new recovery code for the same keys. The old code no longer works. */
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
  if (!json) await showRecoveryCode(context, code);
  await storeKeys(context, ring, ring.own.root, code);
  await showMade(context, { ...ring, isInVault: true }, { json, code });
}

async function storeKeys(
  { signal }: Context,
  { relay, vault: replaces }: KeyRing,
  root: Uint8Array,
  code: string,
): Promise<void> {
  await relay.writeVault(await sealVault(root, code), { replaces, signal }).catch((error: unknown) => {
    if (!RelayError.is(error, 'conflict')) throw error;
    throw new Failure('failed', 'Another device has changed the vault. Look at it first: relay keys');
  });
}

/** As JSON there is one object, so the code is in the one after the change. */
async function showMade(
  context: Context,
  ring: KeyRing,
  { json, code }: { json: boolean; code: string },
): Promise<void> {
  showKeys(context, ring, { json, ...(json && { recoveryCode: code }) });
  if (json && !(await context.out.written()))
    throw new Failure(
      'failed',
      'The keys are stored, but their recovery code could not be written, and is shown only once. Make another one: relay keys recovery',
    );
}

/** Restores the keys from the vault with the recovery code. */
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
      'This machine has other keys than the vault. `relay keys restore --replace` removes those of this machine permanently.',
    );
  }
  const code = context.input.isTerminal
    ? await context.input.readLine('Recovery code: ')
    : (await context.input.readText()).trim();
  if (!code?.trim())
    throw new Failure(
      'usage',
      'No recovery code came. Type it, or read it from a file: relay keys restore < code.txt',
    );
  const root = await openVault(ring.vault.vault, code);
  await ring.kept.write(root);
  showKeys(
    context,
    { ...ring, own: { root, expert: await openExpertKeys(root) }, isInVault: true },
    { json },
  );
}

const maxAttempts = 3;

/** Shows a recovery code once. In a terminal the user must type it back before anything is changed. */
async function showRecoveryCode({ input, out, err }: Context, code: string): Promise<void> {
  err.paragraph('The recovery code, shown this once. Keep it where you keep passwords:');
  err.line();
  out.line(code);
  err.line();
  if (!(await out.written()))
    throw new Failure(
      'failed',
      'The recovery code could not be written, so nothing was changed. Start again with an output that takes it.',
    );
  if (!input.isTerminal || !out.isTerminal) return;
  const expected = await parseRecoveryCode(code);
  for (let left = maxAttempts; left > 0; left -= 1) {
    const typed = await input.readLine('Type it back: ');
    if (typed === undefined) break;
    const read = await parseRecoveryCode(typed).catch(() => undefined);
    if (read === expected) return;
    if (left > 1) err.paragraph('That is not the same code. Compare it letter by letter.');
  }
  throw new Failure(
    'usage',
    'The code was not typed back, so nothing was changed. Start again when you can keep it.',
  );
}

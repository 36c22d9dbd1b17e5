import type { Context } from '../../context.ts';
import type { KeyRing } from './key-ring.ts';

interface ShowOptions {
  json: boolean;
  recoveryCode?: string;
}

/** The expert's fingerprint, and whether the keys are safe. */
export function showKeys({ out, err }: Context, ring: KeyRing, { json, recoveryCode }: ShowOptions): void {
  const fingerprint = ring.own?.expert.fingerprint;
  if (json) {
    const file = ring.own ? ring.file.path : undefined;
    out.line(JSON.stringify({ fingerprint, file, isInVault: ring.isInVault, recoveryCode }));
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
  out.line(`Kept in      ${ring.file.path}`);
  out.line(`Recovery     ${ring.isInVault ? 'by the recovery code' : 'none: these keys are nowhere else'}`);
  err.line();
  if (!ring.isInVault)
    err.paragraph('Should this machine be lost, so are your conversations. Make a code: relay keys recovery');
  else err.paragraph('Tell agents your fingerprint over another channel; they set it as RELAY_EXPERT.');
}

import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { KeyRing } from './key-ring.ts';

/** Takes the keys off this machine, unless nobody could bring them back. */
export function forgetKeys(
  { out }: Context,
  ring: KeyRing,
  { forGood, json }: { forGood: boolean; json: boolean },
): void {
  if (ring.own && !ring.isInVault && !forGood) {
    throw new Failure(
      'state',
      'These keys are nowhere else: what was encrypted for them would be lost. Save them first: relay keys recovery. To lose them all the same: relay keys forget --for-good',
    );
  }
  ring.file.remove();
  if (json) out.line(JSON.stringify({ forgotten: ring.own !== undefined }));
  else if (!ring.own) out.paragraph('There were no keys on this machine.');
  else if (ring.isInVault)
    out.paragraph('Forgotten here. With the recovery code they come back: relay keys restore');
  else out.paragraph('Forgotten for good.');
}

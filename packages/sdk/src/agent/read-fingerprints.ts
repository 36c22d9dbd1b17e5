import { parseFingerprint } from '../crypto/fingerprint.ts';
import { invalidInput } from '../relay-error.ts';
import type { RelayOptions } from './relay.ts';

/** The option `expert`: the fingerprints of the experts whose answers count. */
export function readFingerprints(expert: RelayOptions['expert']): readonly string[] | undefined {
  if (expert === undefined) return undefined;
  const given = typeof expert === 'string' ? [expert] : expert;
  // An empty one is no wish to accept any expert.
  if (given.length === 0 || given.some((one) => one.trim() === ''))
    throw invalidInput('`expert` is empty. Give at least one fingerprint, or leave it out.');
  return given.map(parseFingerprint);
}

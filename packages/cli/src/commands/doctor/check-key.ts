import type { WhoAmI } from '@expert-relay/sdk';
import { explainError } from '../../explain-error.ts';
import { whoami } from '../../relay/whoami.ts';
import type { Access } from '../../settings/require-relay.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Whether the relay takes the key, and whose it is. */
export async function checkKey(
  access: Access,
  signal: AbortSignal,
): Promise<{ finding: Finding; who: WhoAmI | undefined }> {
  try {
    const who = await whoami(access, signal);
    const is = who.kind === 'provider' ? "an expert's" : "an agent's";
    return { finding: ok('key', `${is}, called "${who.name}"`), who };
  } catch (error) {
    const { outcome, message } = explainError(error, signal);
    const next =
      outcome === 'refused' ? 'Ask whoever runs the relay for a new one.' : 'Try again in a minute.';
    return { finding: fail('key', message, next), who: undefined };
  }
}

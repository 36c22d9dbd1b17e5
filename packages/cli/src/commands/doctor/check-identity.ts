import type { Context } from '../../context.ts';
import { explainError } from '../../explain-error.ts';
import type { Access } from '../../settings/require-relay.ts';
import { openMemory } from '../../store/memory.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const about = 'encryption';

/** Whether an expert can read and write encrypted, or an agent knows its expert. */
export async function checkIdentity(context: Context, access: Access): Promise<Finding> {
  try {
    return access.kind === 'provider' ? await ofExpert(context, access) : ofAgent(context, access);
  } catch (error) {
    return fail(about, explainError(error, context.signal).message, 'Then look again: relay doctor');
  }
}

async function ofExpert(context: Context, access: Access): Promise<Finding> {
  const { own, vault, isInVault } = await openKeyRing(context, access);
  if (!own) {
    return vault
      ? warn(about, 'your keys are on another device', 'Bring them here: relay keys restore')
      : warn(about, 'you have no keys yet: only plain text can be answered', 'Make them: relay keys make');
  }
  if (isInVault) return ok(about, `your fingerprint is ${own.expert.fingerprint}`);
  return vault
    ? warn(
        about,
        'this machine has other keys than the vault',
        'Use those of the vault: relay keys restore --replace',
      )
    : warn(about, 'your keys are on this machine alone', 'Make a recovery code: relay keys recovery');
}

function ofAgent({ config, now }: Context, access: Access): Finding {
  if (config.expert) return ok(about, `only the expert ${config.expert} is accepted`);
  const known = [...new Set(openMemory(config.folder, access.apiKey, now).values())];
  if (known.length > 0) return ok(about, `known from the first contact: ${known.join(', ')}`);
  return ok(about, 'the expert who answers first will be remembered; RELAY_EXPERT would name one beforehand');
}

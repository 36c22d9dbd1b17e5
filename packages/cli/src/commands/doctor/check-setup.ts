import { accessSync, constants, existsSync } from 'node:fs';
import type { WhoAmI } from '@expert-relay/sdk';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { explainError } from '../../explain-error.ts';
import { openClient } from '../../relay/open-client.ts';
import type { Access } from '../../relay/require-relay.ts';
import { Conversations } from '../../store/conversations.ts';
import { knownExperts, openStore, storeFolder } from '../../store/store.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether the state on this machine can be read and written, only by its owner. */
export async function checkFolder({ folder, url, apiKey }: Config, signal: AbortSignal): Promise<Finding> {
  try {
    if (url === undefined) return ok('folder', existsSync(folder) ? folder : `${folder} will be made`);
    const conversations = new Conversations({ folder, url });
    const { length: count } = await conversations.all();
    accessSync(storeFolder(folder, 'agents'), constants.W_OK);
    if (apiKey !== undefined) await knownExperts(conversations.store);
    return ok('folder', `${folder}, ${count} ${count === 1 ? 'conversation' : 'conversations'}`);
  } catch (error) {
    const { message } = explainError(error, signal);
    return fail('folder', message, 'Then look again: relay doctor');
  }
}

/** Whether the relay accepts the key, and to whom it belongs. */
export async function checkKey(
  access: Access,
  signal: AbortSignal,
): Promise<{ finding: Finding; who: WhoAmI | undefined }> {
  try {
    const who = await openClient(access).whoami({ signal });
    const is = who.kind === 'provider' ? "an expert's" : "an agent's";
    return { finding: ok('key', `${is}, called "${who.name}"`), who };
  } catch (error) {
    const { outcome, message } = explainError(error, signal);
    const next =
      outcome === 'refused' ? 'Ask the operator of the relay for a new one.' : 'Try again in a minute.';
    return { finding: fail('key', message, next), who: undefined };
  }
}

const about = 'encryption';

/** Whether an expert has keys, or an agent knows its expert. */
export async function checkIdentity(context: Context, access: Access): Promise<Finding> {
  try {
    return access.kind === 'provider' ? await ofExpert(context, access) : await ofAgent(context);
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
    : warn(about, 'your keys are only on this machine', 'Make a recovery code: relay keys recovery');
}

async function ofAgent({ config }: Context): Promise<Finding> {
  if (config.acceptsUnprotected)
    return warn(
      about,
      'RELAY_ACCEPT_UNPROTECTED is 1: answers count that the relay could have written or replaced',
      'Unset it unless your expert uses a client without this protocol.',
    );
  if (config.expert) return ok(about, `only the expert ${config.expert.join(' or ')} is accepted`);
  const known = new Set((await knownExperts(openStore(config.folder, 'agents'))).values());
  if (known.size > 0) return ok(about, `known from the first contact: ${[...known].join(', ')}`);
  return ok(about, 'the first expert who answers will be remembered; RELAY_EXPERT would name one beforehand');
}

import { accessSync, constants, existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { explainError } from '../../explain-error.ts';
import { openConversations } from '../../store/conversations.ts';
import { openMemory } from '../../store/memory.ts';
import { openRelayFolder } from '../../store/relay-folder.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Whether what is kept on this machine can be read, written, and by its owner alone. */
export function checkFolder(
  { folder, url, apiKey }: Config,
  signal: AbortSignal,
  now: () => number,
): Finding {
  try {
    if (url === undefined) return ok('folder', existsSync(folder) ? folder : `${folder} will be made`);
    const relayFolder = openRelayFolder(folder, url);
    accessSync(relayFolder, constants.W_OK);
    const kept = openConversations(relayFolder, now).all().length;
    if (apiKey !== undefined) openMemory(folder, apiKey, now).values();
    return ok('folder', `${folder}, ${kept} ${kept === 1 ? 'conversation' : 'conversations'}`);
  } catch (error) {
    const { message } = explainError(error, signal);
    return fail('folder', message, 'Then look again: relay doctor');
  }
}

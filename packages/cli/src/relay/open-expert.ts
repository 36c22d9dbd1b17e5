import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';
import { type Access, requireKind, requireRelay } from '../settings/require-relay.ts';
import { hasExpertFile, openExpertFile } from '../store/expert-file.ts';
import { openMemory } from '../store/memory.ts';
import { openRelayFolder } from '../store/relay-folder.ts';
import { timing } from './patience.ts';
import { whoami } from './whoami.ts';

/** What an expert's command works with. */
export interface ExpertSide {
  readonly access: Access;
  readonly expert: Expert;
  /** What the key is called. */
  readonly name: string;
  /** Whether this machine has the expert's keys. Without them only plain text can be read and written. */
  readonly hasKeys: boolean;
  /** Whether it has those of any expert: only the relay says which one this key belongs to. */
  readonly hasAnyKeys: boolean;
}

export interface ExpertSideOptions {
  /** What an agent does in its place. */
  instead: string;
  /** As if there were no keys. */
  plaintext?: boolean;
}

// The relay keeps a conversation for three days of life and thirty of retention.
const keptFor = 33 * 24 * 3_600_000;

/** With an expert's key, or a sentence. */
export async function openExpert(context: Context, options: ExpertSideOptions): Promise<ExpertSide> {
  const { config, folder, signal, now } = context;
  const access = requireRelay(config, { kind: 'provider', folder });
  requireKind(access, 'provider', options.instead);
  const { userId, name } = await whoami(access, signal);
  const relayFolder = openRelayFolder(config.folder, access.url);
  const root = options.plaintext ? undefined : openExpertFile(relayFolder, userId).read();
  const memory = openMemory(config.folder, access.apiKey, now);
  memory.forgetOlderThan(keptFor);
  const expert = createExpert({
    url: access.url,
    apiKey: access.apiKey,
    hubUrl: config.hubUrl,
    root,
    memory,
    timing,
  });
  return { access, expert, name, hasKeys: root !== undefined, hasAnyKeys: hasExpertFile(relayFolder) };
}

import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';
import { type Access, requireKind, requireRelay } from '../settings/require-relay.ts';
import { openExpertFile } from '../store/expert-file.ts';
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
}

export interface ExpertSideOptions {
  /** What an agent does in its place. */
  instead: string;
  /** As if there were no keys. */
  plaintext?: boolean;
}

/** With an expert's key, or a sentence. */
export async function openExpert(context: Context, options: ExpertSideOptions): Promise<ExpertSide> {
  const { config, folder, signal } = context;
  const access = requireRelay(config, { kind: 'provider', folder });
  requireKind(access, 'provider', options.instead);
  const { userId, name } = await whoami(access, signal);
  const file = openExpertFile(openRelayFolder(config.folder, access.url), userId);
  const root = options.plaintext ? undefined : file.read();
  const expert = createExpert({
    url: access.url,
    apiKey: access.apiKey,
    hubUrl: config.hubUrl,
    root,
    timing,
  });
  return { access, expert, name, hasKeys: root !== undefined };
}

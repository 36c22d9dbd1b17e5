import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';
import { type Access, requireKind, requireRelay } from '../settings/require-relay.ts';
import { hasExpertFile, openExpertFile } from '../store/expert-file.ts';
import { openMemory } from '../store/memory.ts';
import { type Outages, watchOutages } from './outages.ts';
import { timing } from './patience.ts';
import { whoami } from './whoami.ts';

/** What an expert's command works with. */
export interface ExpertSide {
  readonly access: Access;
  readonly expert: Expert;
  readonly outages: Outages;
  /** What the key is called. */
  readonly name: string;
  /** A client with the keys that this machine has by now; undefined when they are those of before. */
  renew(): Expert | undefined;
  /** Whether this machine has the expert's keys. Without them only plain text can be read and written. */
  readonly hasKeys: boolean;
  /** Whether it has those of any expert, even if not of the one that this key belongs to. */
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
  const { name } = await whoami(access, signal);
  const file = options.plaintext ? undefined : openExpertFile(config.folder, access.apiKey);
  let root = file?.read();
  const memory = openMemory(config.folder, access.apiKey, now);
  memory.forgetOlderThan(keptFor);
  const outages = watchOutages(context);
  const connect = () =>
    createExpert({
      url: access.url,
      apiKey: access.apiKey,
      hubUrl: config.hubUrl,
      root,
      memory,
      onOutage: outages.onOutage,
      timing,
    });
  return {
    ...{ access, expert: connect(), outages, name },
    hasKeys: root !== undefined,
    hasAnyKeys: hasExpertFile(config.folder),
    renew() {
      const found = file?.read();
      if (!found || (root && Buffer.from(found).equals(root))) return undefined;
      root = found;
      return connect();
    },
  };
}

import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';
import { hasExpertRoot, openExpertRoot } from '../store/expert-root.ts';
import { openStore } from '../store/store.ts';
import { type Outages, watchOutages } from './outages.ts';
import { type Access, requireKind, requireRelay } from './require-relay.ts';
import { timing } from './timing.ts';

/** What the commands for experts use. */
export interface ExpertConnection {
  readonly access: Access;
  readonly expert: Expert;
  readonly outages: Outages;
  /** The name of the key. */
  readonly name: string;
  /** A client with the keys that this machine has now; undefined when they have not changed. */
  renew(): Promise<Expert | undefined>;
  /** Whether this machine has the expert's keys now. Without them only plain text can be read and written. */
  readonly hasKeys: boolean;
  /** Whether it has the keys of any expert, maybe of another one than the API key's. */
  readonly hasAnyKeys: boolean;
}

export interface ExpertConnectionOptions {
  /** The command for agents, shown when the key is an agent's. */
  instead: string;
  /** How long to wait for what the agent has announced. Default 30 s. */
  partsMs?: number;
}

/** Throws a Failure when RELAY_API_KEY is not an expert's key. */
export async function connectExpert(
  context: Context,
  options: ExpertConnectionOptions,
): Promise<ExpertConnection> {
  const { config, folder, signal } = context;
  const access = requireRelay(config, { kind: 'provider', folder });
  requireKind(access, 'provider', options.instead);
  const store = openStore(config.folder, 'experts');
  const kept = openExpertRoot(config.folder, access.apiKey);
  let root = await kept.read();
  const outages = watchOutages(context);
  const connect = () =>
    createExpert({
      url: access.url,
      apiKey: access.apiKey,
      hubUrl: config.hubUrl,
      root,
      store,
      onOutage: outages.onOutage,
      timing: { ...timing, ...(options.partsMs !== undefined && { partsMs: options.partsMs }) },
    });
  const expert = connect();
  const { name } = await expert.whoami({ signal }).catch((error: unknown) => {
    outages.stop();
    expert.stop();
    throw error;
  });
  return {
    access,
    expert,
    outages,
    name,
    get hasKeys() {
      return root !== undefined;
    },
    hasAnyKeys: await hasExpertRoot(config.folder),
    async renew() {
      const found = await kept.read();
      if (!found || (root && Buffer.from(found).equals(root))) return undefined;
      root = found;
      return connect();
    },
  };
}

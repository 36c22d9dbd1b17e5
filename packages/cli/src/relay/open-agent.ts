import { createRelay, type Relay } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import { type Access, requireKind, requireRelay } from '../settings/require-relay.ts';
import { type Conversations, openConversations } from '../store/conversations.ts';
import { openMemory } from '../store/memory.ts';
import { openRelayFolder } from '../store/relay-folder.ts';
import { type Outages, watchOutages } from './outages.ts';
import { timing } from './patience.ts';

/** What an agent's command works with. */
export interface Agent {
  readonly access: Access;
  readonly conversations: Conversations;
  readonly outages: Outages;
  connect(save?: Parameters<typeof createRelay>[0]['save']): Relay;
}

export interface AgentOptions {
  /** What an expert does in its place. */
  instead?: string;
  /** Whether plain text is taken for an answer although the expert is known. */
  acceptsPlaintext?: boolean;
}

/** With an agent's key, or a sentence. */
export function openAgent(context: Context, options: AgentOptions = {}): Agent {
  const { config, folder, now } = context;
  const { instead = '', acceptsPlaintext = false } = options;
  const access = requireRelay(config, { kind: 'consumer', folder });
  requireKind(access, 'consumer', instead);
  const relayFolder = openRelayFolder(config.folder, access.url);
  const memory = openMemory(config.folder, access.apiKey, now);
  const outages = watchOutages(context);
  return {
    outages,
    access,
    conversations: openConversations(relayFolder, now),
    connect: (save) =>
      createRelay({
        url: access.url,
        apiKey: access.apiKey,
        hubUrl: config.hubUrl,
        expert: config.expert,
        acceptPlaintext: acceptsPlaintext,
        memory,
        save,
        onOutage: outages.onOutage,
        timing,
      }),
  };
}

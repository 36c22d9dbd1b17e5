import { type ConversationState, createRelay, type Relay, type Store } from '@expert-relay/sdk';
import { conversationPrefix } from '@expert-relay/sdk/internal';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { type Conversations, openConversations } from '../store/conversations.ts';
import { openRelayFolder } from '../store/relay-folder.ts';
import { openStore } from '../store/store.ts';
import { type Outages, watchOutages } from './outages.ts';
import { type Access, requireKind, requireRelay } from './require-relay.ts';
import { timing } from './timing.ts';

/** For all commands of an agent that read answers. */
export const acceptUnprotectedOption = {
  help: 'accept answers that the relay could have written or replaced: plain text, unsigned keys, messages without links',
} as const;

/** What the commands for agents use. */
export interface Agent {
  readonly access: Access;
  readonly conversations: Conversations;
  readonly outages: Outages;
  connect(save?: (state: ConversationState) => void): Relay;
}

export interface AgentOptions {
  /** The command for experts, shown when the key is an expert's. */
  instead?: string;
  /** Whether answers are accepted that the relay could have written or replaced. */
  acceptsUnprotected?: boolean;
  /** Instead of the one of the settings. */
  agentName?: string | undefined;
}

/** Throws a Failure when RELAY_API_KEY is not an agent's key. */
export function openAgent(context: Context, options: AgentOptions = {}): Agent {
  const { config, folder, now } = context;
  const { instead = '', acceptsUnprotected = config.acceptsUnprotected ?? false, agentName } = options;
  const access = requireRelay(config, { kind: 'consumer', folder });
  requireKind(access, 'consumer', instead);
  const relayFolder = openRelayFolder(config.folder, access.url);
  const store = openStore(config.folder, 'agents');
  const outages = watchOutages(context);
  const conversations = openConversations(relayFolder, now);
  if (acceptsUnprotected) context.err.paragraph(unprotected, { style: 'yellow' });
  return {
    outages,
    access,
    conversations,
    connect: (save) =>
      createRelay({
        url: access.url,
        apiKey: access.apiKey,
        hubUrl: config.hubUrl,
        expert: config.expert,
        acceptUnprotected: acceptsUnprotected,
        agentName: agentName ?? config.agentName,
        store: withConversations(store, conversations, save),
        secret: config.agentSecret,
        onOutage: outages.onOutage,
        timing,
      }),
  };
}

/** The conversations have files of their own: with their messages, and for each relay. */
function withConversations(
  store: Store,
  conversations: Conversations,
  save: (state: ConversationState) => void = () => {},
): Store {
  const idOf = (name: string) =>
    name.startsWith(conversationPrefix) ? name.slice(conversationPrefix.length) : undefined;
  return {
    ...store,
    async get(name) {
      const id = idOf(name);
      if (id === undefined) return await store.get(name);
      const stored = conversations.find(id);
      return stored && JSON.stringify(stored.state);
    },
    async set(name, value) {
      if (idOf(name) === undefined) await store.set(name, value);
      else save(JSON.parse(value));
    },
    async delete(name) {
      const id = idOf(name);
      if (id === undefined) await store.delete(name);
      else conversations.forget(id);
    },
    async names(start) {
      const stored = conversations.all(() => {}).map(({ state }) => `${conversationPrefix}${state.id}`);
      return [...(await store.names(start)), ...stored.filter((name) => name.startsWith(start))];
    },
  };
}

const unprotected =
  'Answers are accepted that the relay could have written or replaced (--accept-unprotected, RELAY_ACCEPT_UNPROTECTED).';

/** For a conversation whose keys are not on this machine. */
export const notStored = (name: string) =>
  new Failure(
    'unknown',
    `This machine does not keep ${name}: a conversation can continue only where it was started, with the same RELAY_URL and RELAY_CONFIG_DIR. Yours are listed by: relay show`,
  );

import { createRelay, type Relay } from '@expert-relay/sdk';
import type { Asker } from '@expert-relay/sdk/internal';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { Conversations } from '../store/conversations.ts';
import { Journal } from '../store/journal.ts';
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
  /** The client stores the states of the conversations that the journal has locked. */
  connect(journal?: Journal): Relay & Asker;
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
  const { config, folder } = context;
  const { instead = '', acceptsUnprotected = config.acceptsUnprotected ?? false, agentName } = options;
  const access = requireRelay(config, { kind: 'consumer', folder });
  requireKind(access, 'consumer', instead);
  const outages = watchOutages(context);
  const conversations = new Conversations({ folder: config.folder, url: access.url });
  if (acceptsUnprotected) context.err.paragraph(unprotected, { style: 'yellow' });
  return {
    outages,
    access,
    conversations,
    connect: (journal = new Journal(conversations)) =>
      createRelay({
        url: access.url,
        apiKey: access.apiKey,
        hubUrl: config.hubUrl,
        expert: config.expert,
        acceptUnprotected: acceptsUnprotected,
        agentName: agentName ?? config.agentName,
        store: journal.store,
        secret: config.agentSecret,
        onOutage: outages.onOutage,
        timing,
      }),
  };
}

const unprotected =
  'Answers are accepted that the relay could have written or replaced (--accept-unprotected, RELAY_ACCEPT_UNPROTECTED).';

/** For a conversation whose keys are not on this machine. */
export const notStored = (name: string) =>
  new Failure(
    'unknown',
    `This machine does not keep ${name}: a conversation can continue only where it was started: with the same RELAY_URL and RELAY_CONFIG_DIR, or in your program, if that has asked.`,
  );

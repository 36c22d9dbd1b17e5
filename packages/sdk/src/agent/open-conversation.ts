import type { Client } from '../client.ts';
import { type AgentKeys, restoreAgentKeys } from '../crypto/agent-keys.ts';
import { fromBase64 } from '../crypto/base64.ts';
import { notAsExported } from '../relay-error.ts';
import type { AskedRequest } from '../request-state.ts';
import { partOf } from '../store.ts';
import { createFollower, type Follower } from '../thread/follower.ts';
import { Sender } from '../thread/sender.ts';
import { createOutbox } from '../thread/stored-outbox.ts';
import { Thread } from '../thread/thread.ts';
import { isTransient } from '../transport/api.ts';
import type { TopicBeginning } from '../transport/hub-stream.ts';
import { AgentConversation } from './agent-conversation.ts';
import { AgentSide } from './agent-side.ts';
import type { ConversationState } from './conversation-state.ts';
import type { KnownExperts } from './known-experts.ts';
import { guardQuestion } from './once.ts';
import type { FormOrSchema } from './question.ts';
import type { FollowedConversation } from './read-scheduler.ts';
import type { AskInternals } from './submission.ts';

/** What this process knows of a conversation that it has begun or continues. */
export interface Begun {
  readonly keys?: AgentKeys | undefined;
  /** Of a new question, which has no messages yet: where its events begin. */
  readonly beginning?: TopicBeginning | undefined;
  readonly schema: FormOrSchema | undefined;
  readonly internals?: AskInternals | undefined;
}

/** What the conversations of one client share. */
interface Shared {
  readonly client: Pick<Client, 'api' | 'store'>;
  readonly experts: KnownExperts;
  readonly acceptUnprotected: boolean;
  /** Resolves with the owner of conversations that are begun now. */
  readonly owning: Promise<string>;
  readonly save: (state: ConversationState) => Promise<void>;
  /** Says when there may be news of the conversation, until the returned function is called. */
  readonly follow: (conversation: FollowedConversation, beginning: TopicBeginning | undefined) => () => void;
}

/** Opens a conversation that the relay has, as its state says. */
export async function openConversation<C>(
  shared: Shared,
  state: ConversationState,
  request: AskedRequest,
  begun: Begun | undefined,
  signal: AbortSignal | undefined,
): Promise<AgentConversation<C>> {
  const { client, experts, acceptUnprotected, owning, save, follow } = shared;
  const { api, store } = client;
  const { requestId, refCode } = request;
  const present = await owning;
  const { id, once, answerForm, isConfidential, decided, owner = present } = state;
  const keys = begun?.keys ?? (state.keys && (await restoreAgentKeys(state.keys)));
  const submissionDigest = fromBase64(state.submissionDigest ?? '');
  if (submissionDigest?.length !== 32) throw notAsExported();
  const facts = partOf(store, async () => `${owner}:${id}`);
  const outbox = createOutbox(facts, requestId);
  const guard = once && guardQuestion(state, { api, requestId, shared: outbox });

  const asked = { requestId, refCode, keys, submissionDigest, answerForm, isConfidential };
  const side = new AgentSide({ ...asked, experts, acceptUnprotected, check: guard?.check });
  const channel = state.exchange && (await side.restore(state.exchange, state.thread?.channel));
  side.isWithdrawn = state.withdrawn === true || (await facts.get('withdrawn')) !== undefined;
  const thread = new Thread({
    api,
    requestId,
    side,
    hasDrafts: () => sender.texts.hasDrafts,
    state: state.thread,
    channel,
  });
  const sender = new Sender({
    api,
    thread,
    isPlain: () => !keys,
    // The expert's keys may have arrived since the last read. When the relay cannot be reached, the texts wait.
    prepare: async (signal) => {
      if (keys && !thread.channel)
        await thread.read(signal).catch((error: unknown) => {
          if (!isTransient(error)) throw error;
        });
    },
    save: () => conversation.save(),
    outbox: guard?.outbox ?? outbox,
    state: state.sender,
  });
  let beginning = begun?.beginning;
  const follower: Follower = createFollower({
    thread,
    sender,
    listen(refresh) {
      const topic = `/svc/requests/${requestId}`;
      const unfollow = follow({ topic, thread, sender, side, refCode, follower, refresh }, beginning);
      beginning = undefined;
      return unfollow;
    },
    backoff: api.backoff,
  });
  const conversation = new AgentConversation<C>(
    { api, thread, sender, follower, request },
    {
      id,
      once,
      keys,
      submissionDigest: state.submissionDigest,
      isConfidential,
      side,
      save,
      decided,
      owner,
      facts,
      schemas: [begun?.schema],
    },
  );
  // What was stored for another key counts once this one has read the request: it is the same key, rotated.
  if (owner !== present) await thread.read(signal);
  await sender.takeOver(signal);
  return conversation;
}

import { useEffect } from 'react';
import type { Tabs } from '../relay/tabs.ts';
import { type AppContext, useAppContext } from '../session/app-context.tsx';
import type { Draft } from '../storage/drafts.ts';
import type { Storage } from '../storage/storage.ts';
import { useStore } from '../ui/store.ts';
import type { AnswerContent } from './answer-content.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { ConversationState } from './conversation-state.ts';
import { createUndo } from './undo.ts';

/** How many conversations stay in memory, so that they are shown at once when the expert returns to them. */
const maxKept = 20;
const recent = new WeakMap<Storage, Map<string, Conversation>>();

export interface FollowedConversation extends Conversation {
  readonly now: ConversationState;
}

/** A conversation that is kept up to date for the lifetime of the component. */
export function useConversation(requestId: string): FollowedConversation {
  const context = useAppContext();
  const { expert, live } = context;
  const conversation = conversationOf(context, requestId);
  useEffect(() => conversation.follow(expert), [conversation, expert]);
  useEffect(() => live.watchRequest(requestId), [live, requestId]);
  const now = useStore(conversation.state);
  return { ...conversation, now };
}

/** Sends what the expert has written. The draft is deleted once the answer is stored, and is back if it was not. */
export function sendWritten(
  { send, files }: Pick<Conversation, 'send' | 'files'>,
  content: AnswerContent,
  draft: Pick<Draft, 'handOver'>,
): void {
  const handedOver = new Promise<void>((resolve, reject) => {
    send(content, resolve).then(resolve, reject);
  });
  draft.handOver(handedOver);
  files.handOver(handedOver);
}

export function conversationOf(
  { storage, live, unsent, expertKey }: Pick<AppContext, 'storage' | 'live' | 'unsent' | 'expertKey'>,
  requestId: string,
): Conversation {
  const conversations = recent.get(storage) ?? followTabs(live.tabs);
  recent.set(storage, conversations);
  const known = conversations.get(requestId);
  const conversation =
    known ??
    createConversation({
      requestId,
      storage,
      createUndo,
      onUnsent: (state) => unsent.note(requestId, state),
      read: (expert, signal) => expert.request(requestId, { signal }),
      async hasNewestKey() {
        await expertKey.load().catch(() => {});
        return expertKey.state.get().kind === 'ready';
      },
    });
  // The map is in order of use, the latest last.
  conversations.delete(requestId);
  conversations.set(requestId, conversation);
  for (const [oldest, { isFollowed }] of conversations) {
    if (conversations.size <= maxKept) break;
    if (!isFollowed()) conversations.delete(oldest);
  }
  return conversation;
}

/** No conversations yet. They are read again when another tab has changed the answer that waits. */
function followTabs(tabs: Tabs): Map<string, Conversation> {
  const conversations = new Map<string, Conversation>();
  tabs.listen((message) => {
    if (message.type === 'unsent') conversations.get(message.requestId)?.readAgain();
  });
  return conversations;
}

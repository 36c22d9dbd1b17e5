import type { Conversation, ConversationState } from '@expert-relay/sdk';
import type { Conversations, Entry, KeptConversation } from '../store/conversations.ts';
import { lock } from '../store/lock.ts';

/** Keeps conversations on this machine while a command is in them: what the SDK goes on from, and what was said. */
export interface Journal {
  /** For the SDK, which waits for it before anything goes out. */
  save(state: ConversationState): void;
  /** Takes up one that was kept, and nobody else may meanwhile. */
  hold(id: string): KeptConversation;
  add(conversation: Conversation, entry: Entry): void;
  /** Answers that were received and not yet handed to whoever asked. */
  undelivered(id: string): readonly Entry[];
  markDelivered(id: string): void;
  release(): void;
}

export function openJournal(conversations: Conversations, opening: readonly Entry[] = []): Journal {
  const held = new Map<string, KeptConversation>();
  const releases: (() => void)[] = [];

  function take(id: string, name: string, read: () => KeptConversation): KeptConversation {
    releases.push(lock(conversations.lockPath(id), name));
    // Only now: whoever had it before may have written.
    const kept = read();
    held.set(id, kept);
    return kept;
  }
  function change(id: string, changes: Partial<KeptConversation>): void {
    const kept = held.get(id);
    if (!kept) throw new Error('A conversation is written that is not held.');
    const changed = { ...kept, ...changes };
    conversations.keep(changed);
    held.set(id, changed);
  }
  return {
    save(state) {
      const { id } = state;
      if (!held.has(id)) {
        take(id, 'This conversation', () => ({ version: 1, entries: [...opening], delivered: 0, state }));
      }
      change(id, { state });
    },
    hold: (id) =>
      take(id, conversations.find(id)?.state.request?.refCode ?? id, () => {
        const kept = conversations.find(id);
        if (!kept) throw new Error('A conversation was removed meanwhile.');
        return kept;
      }),
    add(conversation, entry) {
      const entries = [...(held.get(conversation.id)?.entries ?? []), entry];
      change(conversation.id, { entries, state: conversation.export() });
    },
    undelivered: (id) => answersIn(held.get(id)).slice(held.get(id)?.delivered ?? 0),
    markDelivered: (id) => change(id, { delivered: answersIn(held.get(id)).length }),
    release() {
      for (const release of releases.splice(0)) release();
    },
  };
}

function answersIn(kept: KeptConversation | undefined): readonly Entry[] {
  return kept?.entries.filter(({ role }) => role === 'provider') ?? [];
}

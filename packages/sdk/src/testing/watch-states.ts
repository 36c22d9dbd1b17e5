import type { ConversationState } from '../index.ts';
import { conversationPrefix, createMemoryStore, type Store } from '../store.ts';

/** A store that passes on each state of a conversation before it is stored. */
export function watchStates(onState: (state: ConversationState) => void, store = createMemoryStore()): Store {
  return {
    ...store,
    async set(name, value) {
      if (name.startsWith(conversationPrefix)) onState(JSON.parse(value));
      await store.set(name, value);
    },
  };
}

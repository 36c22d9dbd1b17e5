import { useEffect, useMemo, useReducer } from 'react';
import { useAppContext } from '../session/app-context.tsx';
import type { Conversation } from './conversation.ts';
import { conversationOf } from './use-conversation.ts';

/** Several conversations that are kept up to date, as `useConversation` does with one. A change of a state renders the component. */
export function useConversations(requestIds: readonly string[]): readonly Conversation[] {
  const context = useAppContext();
  const { expert, live } = context;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the expert, which is not used, changes in the context.
  const conversations = useMemo(() => requestIds.map((id) => conversationOf(context, id)), [requestIds]);
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const ends = conversations.flatMap(({ follow, state }) => [follow(expert), state.subscribe(render)]);
    return () => {
      for (const end of ends) end();
    };
  }, [conversations, expert]);
  useEffect(() => {
    const ends = requestIds.map((id) => live.watchRequest(id));
    return () => {
      for (const end of ends) end();
    };
  }, [requestIds, live]);
  return conversations;
}

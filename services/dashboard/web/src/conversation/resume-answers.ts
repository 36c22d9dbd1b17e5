import { needsExpert } from '../unsent/unsent-answers.ts';
import type { Conversation, Open } from './conversation.ts';
import { type Context, conversationOf, opener } from './use-conversation.ts';

/** A request that takes longer keeps the others waiting. */
const maxResumingMs = 30_000;

/** How requests were opened here last. */
const openedBy = new WeakMap<Conversation, Open>();

/** Opens a request until its answers that wait were sent, are held or refused, or cannot be sent now. */
export async function resumeAnswers(context: Context, requestId: string, signal: AbortSignal): Promise<void> {
  const { expert, live, unsent } = context;
  const conversation = conversationOf(context, requestId);
  // The conversation on the screen sends its own.
  if (conversation.isFollowed() || signal.aborted) return;
  const open = opener(requestId, expert, live);
  const { failure: before, needsKey } = conversation.state.get();
  // Nothing can be sent before the expert has entered the recovery code.
  if (needsKey && openedBy.get(conversation) === open) return;
  openedBy.set(conversation, open);
  const leave = conversation.follow(open);
  await new Promise<void>((resolve) => {
    const check = () => {
      const { failure, refusal, needsKey } = conversation.state.get();
      const state = unsent.all.get()[requestId]?.state;
      const hasFailed = failure !== undefined && failure !== before;
      const isWaiting = state !== undefined && !needsExpert(state);
      if (!isWaiting || hasFailed || refusal || needsKey) finish();
    };
    const finish = () => {
      clearTimeout(timer);
      for (const unsubscribe of unsubscribes) unsubscribe();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, maxResumingMs);
    const unsubscribes = [unsent.all.subscribe(check), conversation.state.subscribe(check)];
    signal.addEventListener('abort', finish);
  });
  leave();
}

import { useEffect } from 'react';
import { useAppContext, useExpertKey } from '../app-context/app-context.tsx';
import { connection } from '../calls/connection.ts';
import { needsExpert } from '../unsent/unsent-answers.ts';

/** Sends answers of before a reload without their requests being opened: at the start, and when the relay can be reached again. */
export function useResume(): void {
  const context = useAppContext();
  const hasKey = useExpertKey().kind !== 'loading';
  useEffect(() => {
    if (!hasKey) return;
    const stopped = new AbortController();
    let wasOnline = false;
    let isQueued = false;
    let last = Promise.resolve();
    const begin = () => {
      isQueued = false;
      return resume(context, stopped.signal);
    };
    const check = () => {
      const isOnline = connection.get().kind === 'online';
      // Not ended when the relay is away for a moment: it would begin again with the same request.
      if (isOnline && !wasOnline && !isQueued) {
        isQueued = true;
        last = last.then(begin).catch(() => {});
      }
      wasOnline = isOnline;
    };
    check();
    const unsubscribe = connection.subscribe(check);
    return () => {
      unsubscribe();
      stopped.abort();
    };
  }, [context, hasKey]);
}

type Context = ReturnType<typeof useAppContext>;

/** In one tab: another one has sent them by the time that it is its turn. */
async function resume(context: Context, signal: AbortSignal): Promise<void> {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  const work = () => resumeAll(context, signal);
  await (locks ? locks.request(`expert-relay:${context.me.userId}:resume`, { signal }, work) : work());
}

/** One after another, since each costs calls. */
async function resumeAll(context: Context, signal: AbortSignal): Promise<void> {
  const { unsent } = context;
  await unsent.restored;
  for (const id of Object.keys(unsent.all.get())) {
    if (signal.aborted) return;
    // It may have been sent in the meantime.
    const state = unsent.all.get()[id]?.state;
    if (state === undefined || needsExpert(state)) continue;
    const { resumeAnswers } = await import('../conversation/resume-answers.ts');
    await resumeAnswers(context, id, signal);
  }
}

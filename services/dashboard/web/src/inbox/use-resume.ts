import { useEffect } from 'react';
import { useAppContext, useExpertKey } from '../app-context/app-context.tsx';
import { connection } from '../calls/connection.ts';
import { inOneTab } from '../live/in-one-tab.ts';
import { needsExpert } from '../unsent/unsent-answers.ts';

/** The tab that has noted an answer may be closed before it has sent it. */
const checkAgainMs = 60_000;
/** For how long one tab may resume the answers of a request: longer than it takes. */
const maxTurnMs = 45_000;

/**
 * Sends answers of before a reload without their requests being opened: at the start, when the relay can be reached again, and now
 * and then.
 */
export function useResume(): void {
  const context = useAppContext();
  const hasKey = useExpertKey().kind !== 'loading';
  useEffect(() => {
    if (!hasKey) return;
    const stopped = new AbortController();
    let wasOnline = false;
    let isQueued = false;
    let last = Promise.resolve();
    const queue = () => {
      if (isQueued) return;
      isQueued = true;
      last = last
        .then(() => {
          isQueued = false;
          return resumeAll(context, stopped.signal);
        })
        .catch(() => {});
    };
    const check = () => {
      const isOnline = connection.get().kind === 'online';
      // Not ended when the relay is away for a moment: it would begin again with the same request.
      if (isOnline && !wasOnline) queue();
      wasOnline = isOnline;
    };
    check();
    const unsubscribe = connection.subscribe(check);
    const timer = setInterval(() => {
      if (wasOnline && document.visibilityState === 'visible') queue();
    }, checkAgainMs);
    return () => {
      unsubscribe();
      clearInterval(timer);
      stopped.abort();
    };
  }, [context, hasKey]);
}

type Context = ReturnType<typeof useAppContext>;

/** One after another, since each costs calls, and in one tab: another one has sent them by the time that it is its turn. */
async function resumeAll(context: Context, signal: AbortSignal): Promise<void> {
  const { unsent, me } = context;
  await unsent.restored;
  for (const id of Object.keys(unsent.all.get())) {
    const isDue = () => {
      const state = unsent.all.get()[id]?.state;
      return !signal.aborted && state !== undefined && !needsExpert(state);
    };
    if (!isDue()) continue;
    const { resumeAnswers } = await import('../conversation/resume-answers.ts');
    await inOneTab(`${me.userId}:resume:${id}`, maxTurnMs, async () => {
      if (isDue()) await resumeAnswers(context, id, signal);
    });
  }
}

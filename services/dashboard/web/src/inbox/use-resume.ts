import { useEffect } from 'react';
import { useAppContext, useExpertKey } from '../app-context/app-context.tsx';
import { connection } from '../calls/connection.ts';
import { useStore } from '../ui/store.ts';

/** Sends answers of before a reload without their requests being opened: at the start, and when the relay can be reached again. */
export function useResume(): void {
  const context = useAppContext();
  const isOnline = useStore(connection).kind === 'online';
  const hasKey = useExpertKey().kind !== 'loading';
  useEffect(() => {
    if (!isOnline || !hasKey) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    const locks: LockManager | undefined = globalThis.navigator?.locks;
    const name = `expert-relay:${context.me.userId}:resume`;
    // Another tab has sent them by the time that it is this one's turn.
    const resume = () => resumeAll(context, signal);
    void (locks ? locks.request(name, { signal }, resume) : resume()).catch(() => {});
    return () => stopped.abort();
  }, [context, isOnline, hasKey]);
}

/** One after another, since each costs calls. */
async function resumeAll(context: ReturnType<typeof useAppContext>, signal: AbortSignal): Promise<void> {
  const { unsent } = context;
  await unsent.restored;
  const isWaiting = (id: string) => ['sending', 'waiting'].includes(unsent.all.get()[id]?.state ?? '');
  for (const id of Object.keys(unsent.all.get())) {
    if (signal.aborted) return;
    if (!isWaiting(id)) continue;
    const { resumeAnswers } = await import('../conversation/resume-answers.ts');
    await resumeAnswers(context, id, signal);
  }
}

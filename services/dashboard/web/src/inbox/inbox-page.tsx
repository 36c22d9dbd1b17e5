import { Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ConversationSkeleton } from '../conversation/conversation-skeleton.tsx';
import type { SnoozeActions } from '../conversation/snooze.ts';
import { usePageTitle } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { lazyPage } from '../ui/lazy-page.tsx';
import { useStore } from '../ui/store.ts';
import { useNow } from '../ui/time.tsx';
import { useCounts, useInbox } from './inbox-context.tsx';
import styles from './inbox-page.module.css';
import { OfferSlot } from './offer-slot.tsx';
import { RequestList } from './request-list.tsx';
import { filterOf } from './rows.ts';
import { isSnoozed } from './snoozes.ts';
import { useWaiting } from './use-waiting.ts';

const OffNotice = lazyPage(async () => (await import('../endpoints/off-notice.tsx')).OffNotice);
const FirstRequest = lazyPage(async () => (await import('./first-request.tsx')).FirstRequest);

const loadConversation = async () => (await import('../conversation/conversation-view.tsx')).ConversationView;
const ConversationView = lazyPage(loadConversation);
const whenIdle = globalThis.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 2_000));

/** Loads the code of conversations, so that the first one opens fast: what reads a question, then what answers it. */
const preload = async () => {
  await loadConversation();
  const { loadAfterQuestion } = await import('../conversation/load-after-question.ts');
  await loadAfterQuestion();
};

/** The list with the open conversation beside it; a narrow screen shows one of the two. */
export function InboxPage({ requestId }: { requestId: string | undefined }) {
  usePageTitle('Inbox');
  const [isListed, setIsListed] = useState(false);
  const [isPreloaded, setIsPreloaded] = useState(false);
  const isFirstTime = useFirstTime(requestId);
  const openNext = useNext(requestId);
  useShortcuts({ n: () => openNext?.() });
  const snooze = useSnooze(requestId);
  useEffect(() => {
    // Nothing competes with the first row.
    if (!isListed && !isFirstTime) return;
    whenIdle(() => {
      void preload()
        .catch(() => {})
        .then(() => setIsPreloaded(true));
    });
  }, [isListed, isFirstTime]);
  if (isFirstTime) {
    return (
      <Suspense>
        <FirstRequest />
      </Suspense>
    );
  }
  return (
    <div className={styles.columns} data-is-open={requestId !== undefined || undefined}>
      <section className={styles.list} aria-label="Requests">
        <RequestList selected={requestId} onListed={setIsListed} />
        <Suspense>{isPreloaded && <OffNotice />}</Suspense>
        <OfferSlot />
      </section>
      <section className={styles.conversation} aria-label="Conversation">
        {requestId === undefined ? (
          <p className={styles.nothing}>Choose a request to read it here.</p>
        ) : (
          <Suspense key={requestId} fallback={<ConversationSkeleton />}>
            <ConversationView requestId={requestId} snooze={snooze} onNext={openNext} />
          </Suspense>
        )}
      </section>
    </div>
  );
}

/** Opens the request that waits below this one, else the first. Undefined when no other one waits. */
function useNext(requestId: string | undefined): (() => void) | undefined {
  const [, navigate] = useLocation();
  const waiting = useWaiting();
  const below = waiting.slice(waiting.findIndex((row) => row.requestId === requestId) + 1);
  const next = [...below, ...waiting].find((row) => row.requestId !== requestId);
  return next && (() => navigate(routes.request(next.requestId)));
}

/** The snooze of a request that waits. */
function useSnooze(requestId: string | undefined): SnoozeActions | undefined {
  const { inbox, snoozes } = useInbox();
  const all = useStore(snoozes.all);
  const now = useNow();
  const row = useStore(inbox.rows).find((one) => one.requestId === requestId);
  if (!row || filterOf(row) !== 'waiting') return undefined;
  return {
    now: isSnoozed(row, all, now) ? all[row.requestId] : undefined,
    set: (until) => snoozes.add(row, until),
    end: () => snoozes.remove(row.requestId),
  };
}

/** Whether the expert has never had a request. The first one opens automatically. */
function useFirstTime(requestId: string | undefined): boolean {
  const { inbox } = useInbox();
  const [, navigate] = useLocation();
  const counts = useCounts();
  const first = useStore(inbox.rows)[0]?.requestId;
  const isEmpty = counts !== undefined && Object.values(counts).every((count) => count === 0);
  const isFirstTime = isEmpty && first === undefined && requestId === undefined;
  const wasFirstTime = useRef(false);
  useEffect(() => {
    if (wasFirstTime.current && first !== undefined && requestId === undefined) {
      navigate(routes.request(first), { replace: true });
    }
    // The count of a new request may be read before its row.
    const isRowAwaited = wasFirstTime.current && first === undefined && requestId === undefined;
    wasFirstTime.current = isFirstTime || isRowAwaited;
  }, [isFirstTime, first, requestId, navigate]);
  return isFirstTime;
}

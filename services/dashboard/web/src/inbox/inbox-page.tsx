import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ConversationSkeleton } from '../conversation/conversation-skeleton.tsx';
import { useListAddress } from '../shell/list-address.ts';
import { usePageTitle } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { lazyPage } from '../ui/lazy-page.tsx';
import { useStore } from '../ui/store.ts';
import { useInbox } from './inbox-context.tsx';
import styles from './inbox-page.module.css';
import { OfferSlot } from './offer-slot.tsx';
import { RequestList } from './request-list.tsx';
import type { Rows } from './rows.ts';
import { useTriage } from './use-triage.ts';
import { similarTo, useWaiting } from './use-waiting.ts';

const OffNotice = lazyPage(async () => (await import('../endpoints/off-notice.tsx')).OffNotice);
const SelectionBar = lazyPage(async () => (await import('./selection-bar.tsx')).SelectionBar);
const FirstRequest = lazyPage(async () => (await import('./first-request.tsx')).FirstRequest);

const loadConversation = async () => (await import('../conversation/conversation-view.tsx')).ConversationView;
const ConversationView = lazyPage(loadConversation);
const whenIdle = globalThis.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 2_000));

/** Loads the code of conversations, so that the first one opens fast: what reads a question, then what answers it. */
const preload = async () => {
  await loadConversation();
  await import('../conversation/after-question.ts');
};

/** The list with the open conversation beside it; a narrow screen shows one of the two. */
export function InboxPage({ requestId }: { requestId: string | undefined }) {
  usePageTitle('Inbox');
  const [isListed, setIsListed] = useState(false);
  const [isPreloaded, setIsPreloaded] = useState(false);
  const isFirstTime = useFirstTime(requestId);
  const waiting = useWaiting();
  const openNext = useNext(waiting, requestId);
  const similar = useMemo(() => similarTo(waiting, requestId), [waiting, requestId]);
  useShortcuts({ n: () => openNext?.() });
  const triage = useTriage(requestId);
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
        <RequestList currentId={requestId} onListed={setIsListed} />
        <Suspense>{isListed && <SelectionBar />}</Suspense>
        <Suspense>{isPreloaded && <OffNotice />}</Suspense>
        <OfferSlot />
      </section>
      <section className={styles.conversation} aria-label="Conversation">
        {requestId === undefined ? (
          <p className={styles.nothing}>Choose a request to read it here.</p>
        ) : (
          <Suspense key={requestId} fallback={<ConversationSkeleton />}>
            <ConversationView requestId={requestId} triage={triage} similar={similar} onNext={openNext} />
          </Suspense>
        )}
      </section>
    </div>
  );
}

/** Opens the request that waits below this one, else the first. Undefined when no other one waits. */
function useNext(waiting: Rows, requestId: string | undefined): (() => void) | undefined {
  const [, navigate] = useLocation();
  const { hrefOf } = useListAddress();
  const below = waiting.slice(waiting.findIndex((row) => row.requestId === requestId) + 1);
  const next = [...below, ...waiting].find((row) => row.requestId !== requestId);
  return next && (() => navigate(hrefOf(routes.request(next.requestId), { filter: undefined })));
}

/** Whether the expert has never had a request. The first one opens automatically. */
function useFirstTime(requestId: string | undefined): boolean {
  const { inbox } = useInbox();
  const [, navigate] = useLocation();
  const { data: counts } = useQuery(inbox.countsQuery());
  const first = useStore(inbox.rows)[0]?.requestId;
  const isEmpty = counts !== undefined && Object.values(counts.statuses).every((count) => count === 0);
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

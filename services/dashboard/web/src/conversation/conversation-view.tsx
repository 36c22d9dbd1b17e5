import { hasEnded } from '@expert-relay/sdk/internal';
import { type KeyboardEvent, Suspense, useMemo, useRef, useState } from 'react';
import { connection } from '../relay/connection.ts';
import { usePageTitle } from '../shell/page.tsx';
import { isTyping, useShortcuts } from '../shell/shortcuts.ts';
import { DecisionContext } from '../text/agent-text.tsx';
import { ShownContext } from '../text/text-end.tsx';
import { agentAndKey, agentNameOf } from '../ui/agent-name.ts';
import { Button } from '../ui/button.tsx';
import { useIsTight } from '../ui/is-narrow.ts';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { ConversationFacts } from './conversation-facts.tsx';
import { ConversationHeader, type Panel } from './conversation-header.tsx';
import { ConversationSkeleton } from './conversation-skeleton.tsx';
import styles from './conversation-view.module.css';
import type { SimilarRequest } from './equal-requests.ts';
import { Exchange } from './exchange.tsx';
import { focusHeader } from './focus-header.ts';
import { Question } from './question.tsx';
import type { TriageActions } from './triage.ts';
import { useConversation } from './use-conversation.ts';
import { useKeyboardInset } from './use-keyboard-inset.ts';
import { useScroll } from './use-scroll.ts';

const FingerprintPanel = lazyPage(async () => (await import('./after-question.ts')).FingerprintPanel);
const ReplyArea = lazyPage(async () => (await import('./after-question.ts')).ReplyArea);
const FailedConversation = lazyPage(async () => (await import('./after-question.ts')).FailedConversation);

interface ConversationViewProps {
  readonly requestId: string;
  /** Opens the next request that waits. Undefined when there is none. */
  readonly onNext: (() => void) | undefined;
  /** Undefined for a request that does not wait. */
  readonly triage: TriageActions | undefined;
  /** Other requests that may be equal to this one. */
  readonly similar: readonly SimilarRequest[];
}

export function ConversationView({ requestId, onNext, triage, similar }: ConversationViewProps) {
  const conversation = useConversation(requestId);
  const { request, messages, pending, sent, failure } = conversation.now;
  const pane = useRef<HTMLDivElement>(null);
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [panel, setPanel] = useState<Panel>('none');
  const { markShown, markInView } = conversation;
  const watcher = useMemo(() => ({ markShown, markInView }), [markShown, markInView]);
  const { kind } = useStore(connection);
  const scroll = useScroll(messages, pending ?? sent.at(-1));
  useKeyboardInset(pane);
  usePageTitle(
    request
      ? `${request.refCode} ${agentAndKey({ agentName: request.agentName, keyName: request.agent }, '')}`
      : 'Request',
  );
  const isOver = request !== undefined && hasEnded(request);
  // What is known about the request stands below the header, and scrolls away: there is no room for it.
  const isTight = useIsTight();
  useShortcuts({
    r: () => {
      const reply = pane.current?.querySelector<HTMLElement>('[data-reply]');
      if (reply?.tagName === 'BUTTON') reply.click();
      else reply?.focus();
    },
    e: () => {
      if (request && !isOver) setPanel('close');
    },
  });

  if (!request) {
    if (failure || kind !== 'online') {
      return (
        <Suspense fallback={<ConversationSkeleton />}>
          <FailedConversation requestId={requestId} conversation={conversation} />
        </Suspense>
      );
    }
    return <ConversationSkeleton />;
  }
  const facts = (
    <ConversationFacts
      conversation={conversation.now}
      snoozedUntil={triage?.snoozedUntil}
      isComparing={panel === 'fingerprint'}
      onCompare={() => setPanel(panel === 'fingerprint' ? 'none' : 'fingerprint')}
    />
  );
  return (
    <ShownContext value={watcher}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape works in its text fields. */}
      <div className={styles.pane} ref={pane} data-pane="" onKeyDown={leaveField}>
        <ConversationHeader
          conversation={conversation}
          panel={panel}
          triage={triage}
          onNext={onNext}
          onPanel={setPanel}
        >
          {!isTight && facts}
        </ConversationHeader>
        <div className={styles.scroller} ref={scroll.scroller}>
          <div className={styles.content} ref={scroll.content}>
            {isTight && facts}
            <Suspense>
              {panel === 'fingerprint' && <FingerprintPanel onClose={() => setPanel('none')} />}
            </Suspense>
            <DecisionContext value={request.form !== undefined}>
              <Question request={request} shown={conversation.now.shown} />
              {request.erasedAt ? (
                <Notice title="This conversation was erased.">
                  <p>The relay removes questions and answers some time after the end of a request.</p>
                </Notice>
              ) : (
                <Exchange conversation={conversation} />
              )}
            </DecisionContext>
            <div ref={setSlot} className={styles.slot} />
          </div>
        </div>
        {scroll.hasNew && (
          <div className={styles.new}>
            <Button onClick={scroll.toEnd}>New message</Button>
          </div>
        )}
        <span role="status" className="visually-hidden">
          {scroll.announcement > 0 && (
            // A new element each time, since a live region does not announce an unchanged text again.
            <span key={scroll.announcement}>
              New message from{' '}
              {agentNameOf({ agentName: request.agentName, keyName: request.agent }, 'the agent')}
            </span>
          )}
        </span>
        <Suspense>
          <ReplyArea
            requestId={requestId}
            conversation={conversation}
            slot={slot}
            similar={similar}
            onNext={onNext}
            onSent={scroll.toEnd}
          />
        </Suspense>
      </div>
    </ShownContext>
  );
}

/** After Escape in a text field, single keys such as j are shortcuts again. */
function leaveField(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, nativeEvent } = event;
  if (key === 'Escape' && !nativeEvent.isComposing && isTyping(target)) focusHeader();
}

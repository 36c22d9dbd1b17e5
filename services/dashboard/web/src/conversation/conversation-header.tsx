import { hasEnded } from '@expert-relay/sdk/internal';
import { type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { ActionError } from '../relay/action-error.tsx';
import { allFilter, useListAddress, useListHref } from '../shell/list-address.ts';
import { PageHeading } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { agentAndKey } from '../ui/agent-name.ts';
import { BackIcon } from '../ui/icons.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { useAction } from '../ui/use-action.ts';
import styles from './conversation-header.module.css';
import type { ConversationState } from './conversation-state.ts';
import { canSettle, type TriageActions } from './triage.ts';
import type { FollowedConversation } from './use-conversation.ts';

const CloseConfirmation = lazyPage(async () => (await import('./after-question.ts')).CloseConfirmation);
const SnoozePanel = lazyPage(async () => (await import('./after-question.ts')).SnoozePanel);

/** What is open below the header. */
export type Panel = 'none' | 'close' | 'fingerprint' | 'snooze';

interface HeaderProps {
  readonly conversation: FollowedConversation;
  readonly panel: Panel;
  readonly onPanel: (panel: Panel) => void;
  readonly triage: TriageActions | undefined;
  readonly onNext: (() => void) | undefined;
  /** What is known about the request, where there is room for it. */
  readonly children: ReactNode;
}

export function ConversationHeader({ conversation, panel, onPanel, triage, onNext, children }: HeaderProps) {
  const { request } = conversation.now;
  const { hrefOf } = useListAddress();
  const listHref = useListHref();
  // What was typed is still there after Escape.
  const [reason, setReason] = useState('');
  const wake = useAction(async () => triage?.endSnooze());
  const settle = useAction(async () => triage?.settle(seenUntilOf(conversation.now)));
  const keepsFocus = useHistoryState<{ keepsFocus?: boolean } | null>()?.keepsFocus;
  const settleAndGoOn = async () => {
    if (triage && request && canSettle(request) && (await settle.run())) onNext?.();
  };
  useShortcuts({ d: () => void settleAndGoOn() });
  if (!request) return null;
  const isOver = hasEnded(request);
  const actions: MenuItem[] = [];
  if (triage && canSettle(request)) {
    const title = 'Move it to Answered, without a word to the agent (d)';
    actions.push({ name: 'Nothing to answer', title, onPress: () => void settleAndGoOn() });
  }
  if (triage?.snoozedUntil) actions.push({ name: 'End the snooze', onPress: () => void wake.run() });
  else if (triage) actions.push({ name: 'Snooze', onPress: () => onPanel('snooze') });
  if (!isOver)
    actions.push({ name: 'End request', title: 'End request (e)', onPress: () => onPanel('close') });
  return (
    <header className={styles.header}>
      <Link href={hrefOf(routes.inbox)} className={styles.back} aria-label="Back to the inbox">
        <BackIcon />
      </Link>
      <PageHeading className={styles.agent} takesFocus={!keepsFocus}>
        <Link
          className={styles.name}
          href={listHref({ keyId: request.agentKeyId, tag: undefined, filter: allFilter })}
          title="What this agent asked"
        >
          <bdi>{agentAndKey({ agentName: request.agentName, keyName: request.agent }, 'Agent')}</bdi>
        </Link>
      </PageHeading>
      {children}
      <Menu items={actions} />
      <ActionError error={settle.error ?? wake.error} />
      <Suspense>
        {panel === 'snooze' && triage && (
          <SnoozePanel
            snooze={(until) => triage.snooze(seenUntilOf(conversation.now), until)}
            expiresAt={request.expiresAt}
            onDone={(isSnoozed) => {
              onPanel('none');
              if (isSnoozed) onNext?.();
            }}
          />
        )}
        {panel === 'close' && !isOver && (
          <CloseConfirmation
            isEncrypted={request.encrypted}
            close={conversation.close}
            reason={reason}
            onReason={setReason}
            onDone={() => onPanel('none')}
          />
        )}
      </Suspense>
    </header>
  );
}

/** The time of the newest message on the screen. */
const seenUntilOf = ({ request, messages }: ConversationState): string =>
  messages.at(-1)?.createdAt ?? request?.createdAt ?? '';

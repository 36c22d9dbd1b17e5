import type { FormAnswer } from '@expert-relay/sdk/forms';
import { useState } from 'react';
import { useFormDraft } from '../forms/use-form-draft.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { EqualOutcomes } from './equal-outcomes.tsx';
import { askedBy, isRead, type Member, type Together, whyLeftOut } from './equal-requests.ts';
import styles from './equal-requests-panel.module.css';
import { decisionOf } from './form-reply.tsx';
import { formEnd } from './open-form.ts';
import { type FollowedConversation, sendWritten } from './use-conversation.ts';
import { useConversations } from './use-conversations.ts';
import type { Drafts } from './use-drafts.ts';
import type { Presses } from './use-presses.ts';

interface EqualRequestsProps {
  readonly requestId: string;
  readonly conversation: FollowedConversation;
  readonly drafts: Drafts;
  readonly presses: Presses;
  readonly together: Together;
  readonly onChange: (together: Together | undefined) => void;
}

/** Reads the requests that are similar, offers to decide all that are equal, and shows what became of each. */
export function EqualRequests(props: EqualRequestsProps) {
  const { requestId, conversation, drafts, presses, together, onChange } = props;
  const { similar, sent } = together;
  const [ids] = useState(() => similar.map((one) => one.requestId));
  const others = useConversations(ids);
  const { refCode = '', form } = conversation.now.request ?? {};
  const draft = useFormDraft(drafts.form, form?.of ?? '', form?.form);
  const members: readonly Member[] = [
    { requestId, refCode, conversation },
    ...similar.flatMap((one, at) => {
      const other = others[at];
      return other ? { ...one, conversation: other } : [];
    }),
  ];

  function answer({ requestId: id, conversation: its }: Member, action: FormAnswer['action']): void {
    const { comment = '' } = draft.now ?? {};
    const of = its.state.get().request?.form?.of ?? '';
    const content = {
      text: comment,
      answer: { ...decisionOf(action), of, comment },
      files: conversation.files.get(),
    };
    if (id === requestId) sendWritten(its, content, draft);
    // Its state says why it was not sent.
    else void its.send(content).catch(() => {});
  }

  if (sent) {
    const sentTo = members.filter((member) => sent.ids.includes(member.requestId));
    const again = (member: Member) => answer(member, sent.action);
    return <EqualOutcomes {...props} sent={sent} members={sentTo} onAgain={again} />;
  }

  const asked = askedBy(conversation.now);
  // It was answered alone, or the agent wrote.
  if (asked === undefined) return null;
  const isEqual = ({ conversation: { state } }: Member) => askedBy(state.get()) === asked;
  const reading = members.filter(({ conversation: { state } }) => !isRead(state.get())).length;
  const equal = members.filter(isEqual);
  const count = equal.length;

  const decideAll = (name: string, action: FormAnswer['action']) =>
    presses.take(
      name,
      () => {
        // One that has changed since the press has another answer, or none.
        for (const member of equal.filter(isEqual)) answer(member, action);
        onChange({ similar, sent: { action, ids: equal.map((one) => one.requestId), asked } });
      },
      formEnd(form?.of ?? ''),
    );
  const button = (name: string, action: FormAnswer['action']) => (
    <Button
      isBusy={presses.waitingButton === name}
      says={presses.saysOn(name)}
      aria-disabled={presses.isAway(formEnd(form?.of ?? '')) || undefined}
      onDisabledClick={() => decideAll(name, action)}
      onClick={() => decideAll(name, action)}
    >
      {name}
    </Button>
  );

  return (
    <Panel isInner title="Equal requests">
      <p role="status">
        {reading > 0
          ? `Reading ${reading} ${reading === 1 ? 'request' : 'requests'}…`
          : count > 1
            ? `These ${count} requests ask the same, to the last character.`
            : 'No other request asks the same, to the last character.'}
      </p>
      {reading === 0 && (
        <ul className={styles.codes}>
          {members.map((member) => (
            <li key={member.requestId} className={isEqual(member) ? undefined : styles.leftOut}>
              <code>{member.refCode}</code>
              {!isEqual(member) && ` is left out: ${whyLeftOut(member.conversation.state.get())}.`}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.buttons}>
        {reading === 0 && count > 1 && (
          <>
            {button(`Approve all ${count}`, 'accept')}
            {button(`Decline all ${count}`, 'decline')}
          </>
        )}
        <Button look="quiet" onClick={() => onChange(undefined)}>
          Close
        </Button>
      </div>
    </Panel>
  );
}

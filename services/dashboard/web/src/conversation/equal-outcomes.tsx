import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import { useEscape } from '../ui/escape.ts';
import { Panel } from '../ui/panel.tsx';
import type { ConversationState } from './conversation-state.ts';
import {
  askedBy,
  changeOf,
  type Member,
  type SentTogether,
  type Together,
  whyLeftOut,
} from './equal-requests.ts';
import styles from './equal-requests-panel.module.css';
import { failureSentence } from './failure-sentences.ts';
import { giveBack } from './give-back.ts';
import { isDecided } from './open-form.ts';
import type { FollowedConversation } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';

interface EqualOutcomesProps {
  readonly requestId: string;
  readonly conversation: FollowedConversation;
  readonly drafts: Drafts;
  readonly together: Together;
  readonly sent: SentTogether;
  /** Those that were decided. */
  readonly members: readonly Member[];
  readonly onAgain: (member: Member) => void;
  readonly onChange: (together: Together | undefined) => void;
}

/** What became of each decision. All can be taken back at once for as long as one can; one whose request changes is taken back alone. */
export function EqualOutcomes(props: EqualOutcomesProps) {
  const { requestId, conversation, drafts, together, sent, members, onAgain, onChange } = props;
  /** Why those that were taken back are not sent. */
  const [takenBack, setTakenBack] = useState<ReadonlyMap<string, string>>(new Map());
  const takingBack = useRef(new Set<string>());
  const stateOf = (member: Member) => member.conversation.state.get();
  const undoable = members.filter((member) => stateOf(member).pending?.canUndo);

  async function takeBack(member: Member, why: string): Promise<boolean> {
    const { requestId: id, conversation: its } = member;
    const answer = stateOf(member).pending;
    if (!answer || takingBack.current.has(id)) return false;
    takingBack.current.add(id);
    const remove = () => its.remove().catch(() => false);
    const isBack = await (id === requestId ? giveBack({ answer, conversation, drafts, remove }) : remove());
    takingBack.current.delete(id);
    if (isBack) setTakenBack((before) => new Map(before).set(id, why));
    return isBack;
  }

  async function undo(): Promise<void> {
    const areBack = await Promise.all(undoable.map((member) => takeBack(member, 'you took it back')));
    if (areBack.every(Boolean) && undoable.length === members.length) onChange({ similar: together.similar });
  }
  useEscape(undoable.length > 0, () => void undo());

  useEffect(() => {
    for (const member of undoable) {
      const why = changeOf(stateOf(member));
      if (why) void takeBack(member, why);
    }
  });

  const outcomes = members.map((member) => {
    const why = takenBack.get(member.requestId);
    return why === undefined ? outcomeOf(stateOf(member), sent) : { text: `Not sent: ${why}.` };
  });
  const word = sent.action === 'accept' ? 'approved' : 'declined';
  const done = outcomes.filter(({ isDone }) => isDone).length;
  return (
    <Panel isInner title="Equal requests">
      <div className={styles.line}>
        <p role="status">
          {undoable.length > 0
            ? `${undoable.length} ${word}. They are sent in a moment.`
            : `${done} of ${members.length} ${word}.`}
        </p>
        {undoable.length > 0 ? (
          <Button onClick={() => void undo()}>Undo</Button>
        ) : (
          <Button look="quiet" onClick={() => onChange(undefined)}>
            Close
          </Button>
        )}
      </div>
      <ul className={styles.outcomes}>
        {members.map((member, at) => {
          const { conversation: its, refCode, requestId: id } = member;
          const outcome = outcomes[at];
          const again = outcome?.again === 'send' ? () => void its.sendAgain() : () => onAgain(member);
          return (
            <li key={id} className={styles.line}>
              <span>
                <Link href={routes.request(id)}>{refCode}</Link> {outcome?.text}
              </span>
              {outcome?.again && (
                <Button look="quiet" aria-label={`Try again: ${refCode}`} onClick={again}>
                  Try again
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

interface Outcome {
  readonly text: string;
  readonly isDone?: boolean;
  /** How it can be tried again: by sending what waits, or by deciding again. */
  readonly again?: 'send' | 'decide';
}

function outcomeOf(state: ConversationState, { action, asked }: SentTogether): Outcome {
  const { pending, request, sent, notTaken, refusal } = state;
  if (pending?.canUndo) return { text: 'In a moment…' };
  if (pending?.state === 'sending') return { text: 'Sending…' };
  if (pending?.state === 'waiting') return { text: 'Not sent yet.', again: 'send' };
  if (pending) return { text: `Not sent. ${failureSentence(pending.code ?? 'newer_message').what}` };
  if (sent.length > 0 || (request && isDecided(request)))
    return { text: action === 'accept' ? 'Approved' : 'Declined', isDone: true };
  if (refusal ?? notTaken) {
    const { what } = failureSentence((refusal ?? notTaken) as NonNullable<typeof notTaken>);
    return { text: `Not sent. ${what}`, ...(askedBy(state) === asked && { again: 'decide' as const }) };
  }
  return askedBy(state) === asked ? { text: 'Sending…' } : { text: `Not sent: ${whyLeftOut(state)}.` };
}

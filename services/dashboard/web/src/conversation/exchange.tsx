import type { Message } from '@expert-relay/sdk';
import { Fragment, memo, useMemo, useState } from 'react';
import { isChoice } from '../forms/is-choice.ts';
import { connection } from '../relay/connection.ts';
import { agentNameOf } from '../ui/agent-name.ts';
import { Button } from '../ui/button.tsx';
import { locale } from '../ui/locale.ts';
import { useStore } from '../ui/store.ts';
import { Time } from '../ui/time.tsx';
import { AnswerBody } from './answer-body.tsx';
import { isOnItsWay, type PendingAnswer, type RequestView } from './conversation-state.ts';
import styles from './exchange.module.css';
import { groupMessages, type MessageGroup } from './group-messages.ts';
import { StateLine } from './state-line.tsx';
import type { FollowedConversation } from './use-conversation.ts';

/** How many messages are shown at first, and how many more at each step. A conversation has up to 10,000. */
const firstShown = 200;
const moreShown = 500;
/** How many of the newest messages are formatted at once. The others are formatted when they come near the screen. */
const formattedAtOnce = 20;

/** The messages of the conversation, oldest first. */
export function Exchange({ conversation }: { conversation: FollowedConversation }) {
  const { request, messages, pending, sent } = conversation.now;
  const { kind } = useStore(connection);
  const [maxShown, setMaxShown] = useState(firstShown);
  const from = Math.max(0, messages.length - maxShown);
  const items = useMemo(
    () => (request ? groupMessages(request, messages, { start: from }) : []),
    [request, messages, from],
  );
  if (!request) return null;
  const newest = new Set(messages.slice(-formattedAtOnce));
  const ended = items.at(-1)?.key === 'ended' ? items.at(-1) : undefined;
  const shown = ended ? items.slice(0, -1) : items;
  const lastAnswer = messages.findLastIndex(({ from }) => from === 'expert');
  const crossed = new Set(
    messages.slice(lastAnswer + 1).filter(({ seenYourLast }) => seenYourLast === false),
  );
  const sending = pending && isOnItsWay(pending, kind) ? [pending] : [];
  if (items.length + sent.length + sending.length === 0) return null;
  return (
    <section className={styles.exchange} aria-label="Answers and follow-up questions">
      {from > 0 && (
        <Button
          look="quiet"
          className={styles.earlier}
          data-earlier=""
          onClick={() => setMaxShown(maxShown + moreShown)}
        >
          Show earlier messages ({from.toLocaleString(locale)})
        </Button>
      )}
      {shown.map((item) =>
        item.kind === 'line' ? (
          <StateLine key={item.key} line={item} />
        ) : (
          <Group
            key={item.key}
            group={item}
            agent={agentNameOf({ agentName: request.agentName, keyName: request.agent }, 'Agent')}
            isEncrypted={request.encrypted}
            conversation={conversation}
            newest={newest}
            crossed={crossed}
          />
        ),
      )}
      <Unlisted answers={[...sent, ...sending]} conversation={conversation} />
      {request.decisions.length > 1 && <Decisions request={request} />}
      {ended?.kind === 'line' && <StateLine line={ended} />}
    </section>
  );
}

interface UnlistedProps {
  readonly answers: readonly PendingAnswer[];
  readonly conversation: FollowedConversation;
}

/** Answers that the list of messages does not show yet. */
function Unlisted({ answers, conversation }: UnlistedProps) {
  if (answers.length === 0) return null;
  return (
    <article className={`${styles.group} ${styles.own}`}>
      <p className={styles.by}>
        <span className={styles.sender}>You</span>
      </p>
      {answers.map((answer) => (
        <div key={answer.messageId} className={styles.message} data-delivery="sending">
          <AnswerBody content={answer} conversation={conversation} />
          <p className={styles.remark} role="status">
            {answer === conversation.now.pending ? 'Sending…' : 'Sent'}
          </p>
        </div>
      ))}
    </article>
  );
}

/** Only the agent knows which of several decisions its program was given. */
function Decisions({ request: { decisions, form } }: { request: RequestView }) {
  const accepted = form?.form && isChoice(form.form) ? 'answered' : 'approved';
  return (
    <p className={styles.decisions} role="status">
      {decisions.map(({ messageId, action, createdAt }, index) => {
        const word = action === 'decline' ? 'declined' : accepted;
        return (
          <Fragment key={messageId}>
            {index === 0 ? word.replace(/^./, (first) => first.toUpperCase()) : `, then ${word}`}{' '}
            <Time at={createdAt} look="clock" details />
          </Fragment>
        );
      })}
      ; the agent may have acted on the first.
    </p>
  );
}

interface GroupProps {
  readonly group: MessageGroup;
  readonly agent: string;
  readonly isEncrypted: boolean;
  readonly newest: ReadonlySet<Message>;
  /** Messages after the newest answer that were written before the agent had read it: the answer does not count. */
  readonly crossed: ReadonlySet<Message>;
  readonly conversation: FollowedConversation;
}

/** Not rendered again while nothing in it changes, since there may be thousands of messages. */
const Group = memo(GroupOfMessages, (before, after) => {
  const [old, group] = [before.group.messages, after.group.messages];
  return (
    before.agent === after.agent &&
    before.isEncrypted === after.isEncrypted &&
    old.length === group.length &&
    old.every((message, at) => message === group[at]) &&
    group.every((message) => before.crossed.has(message) === after.crossed.has(message))
  );
});

function GroupOfMessages({ group, agent, isEncrypted, newest, crossed, conversation }: GroupProps) {
  const isOwn = group.from === 'expert';
  const [first] = group.messages;
  return (
    <article className={`${styles.group} ${isOwn ? styles.own : ''}`}>
      <p className={styles.by}>
        <bdi className={styles.sender}>{isOwn ? 'You' : agent}</bdi>
        {first && <Time at={first.createdAt} look="clock" details />}
      </p>
      {group.messages.map((message) => (
        <div key={message.messageId} className={styles.message} data-message={message.messageId}>
          <AnswerBody
            content={message}
            conversation={conversation}
            isFirst={newest.has(message)}
            isOwn={isOwn}
            end={message.messageId}
          />
          <Remarks
            message={message}
            isEncrypted={isEncrypted}
            isOwn={isOwn}
            isCrossed={crossed.has(message)}
          />
        </div>
      ))}
    </article>
  );
}

/** Remarks on a message: its delivery and protection. */
function Remarks({
  message,
  isEncrypted,
  isOwn,
  isCrossed,
}: {
  message: Message;
  isEncrypted: boolean;
  isOwn: boolean;
  isCrossed: boolean;
}) {
  const { protection, seenYourLast, hasUnknownPart, form, unreadableForm } = message;
  return (
    <>
      {hasUnknownPart && (
        <p className={styles.remark}>This message has a part that this version cannot show.</p>
      )}
      {(form || unreadableForm) && <p className={styles.remark}>Sent with a form.</p>}
      {isOwn && <p className={styles.remark}>Sent</p>}
      {isEncrypted && protection === 'plaintext' && (
        <p className={styles.remark}>Not encrypted: the relay could have written or changed this.</p>
      )}
      {protection === 'unsequenced' && (
        <p className={styles.remark}>Encrypted by a simple client: missing messages would not be noticed.</p>
      )}
      {!isOwn && seenYourLast === false && (
        <p className={isCrossed ? styles.crossed : styles.remark}>
          The agent wrote this before it read your answer{isCrossed && ': send again'}.
        </p>
      )}
    </>
  );
}

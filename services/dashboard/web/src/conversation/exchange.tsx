import { confidentialQuestion } from '@expert-relay/sdk';
import type { ExpertMessage } from '@expert-relay/sdk/expert';
import { memo, useMemo, useState } from 'react';
import { agentNameOf } from '../ui/agent-name.ts';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { AnswerBody } from './answer-body.tsx';
import styles from './exchange.module.css';
import { groupMessages, type MessageGroup } from './group-messages.ts';
import { PendingAnswers } from './pending-answers.tsx';
import { StateLine } from './state-line.tsx';
import type { useConversation } from './use-conversation.ts';

/** How many messages are shown at first, and how many more at each step. A conversation has up to 10,000. */
const firstShown = 200;
const moreShown = 500;
/** How many of the newest messages are rendered as Markdown at once. The others are rendered when they come near the screen. */
const renderedAtOnce = 20;

/** The messages of the conversation, oldest first. */
export function Exchange({ conversation }: { conversation: ReturnType<typeof useConversation> }) {
  const { request, messages, answers, needsKey, pickedUpAt } = conversation.now;
  const [maxShown, setMaxShown] = useState(firstShown);
  const from = Math.max(0, messages.length - maxShown);
  const items = useMemo(
    () => (request ? groupMessages(request, messages, { from, pickedUpAt }) : []),
    [request, messages, from, pickedUpAt],
  );
  if (!request) return null;
  const newest = new Set(messages.slice(-renderedAtOnce));
  const ended = items.at(-1)?.key === 'ended' ? items.at(-1) : undefined;
  const shown = ended ? items.slice(0, -1) : items;
  const isQuestionComing =
    request.question === confidentialQuestion && request.isPickedUp && messages.length === 0 && !needsKey;
  if (items.length === 0 && answers.length === 0) return null;
  return (
    <section className={styles.exchange} aria-label="Answers and follow-up questions">
      {from > 0 && (
        <Button
          look="quiet"
          className={styles.earlier}
          data-earlier=""
          onClick={() => setMaxShown(maxShown + moreShown)}
        >
          Show earlier messages ({from.toLocaleString()})
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
          />
        ),
      )}
      {isQuestionComing && !ended && (
        <p className={styles.line} role="status">
          The agent’s question appears here once the agent has sent it.
        </p>
      )}
      {answers.length > 0 && <PendingAnswers conversation={conversation} />}
      {ended?.kind === 'line' && <StateLine line={ended} />}
    </section>
  );
}

interface GroupProps {
  readonly group: MessageGroup;
  readonly agent: string;
  readonly isEncrypted: boolean;
  readonly newest: ReadonlySet<ExpertMessage>;
  readonly conversation: ReturnType<typeof useConversation>;
}

/** Not rendered again while nothing in it changes, since there may be thousands of messages. */
const Group = memo(GroupOfMessages, (before, after) => {
  const [old, group] = [before.group.messages, after.group.messages];
  return (
    before.agent === after.agent &&
    before.isEncrypted === after.isEncrypted &&
    old.length === group.length &&
    old.every((message, at) => message === group[at])
  );
});

function GroupOfMessages({ group, agent, isEncrypted, newest, conversation }: GroupProps) {
  const isOwn = group.role === 'provider';
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
          <Remarks message={message} isEncrypted={isEncrypted} isOwn={isOwn} />
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
}: {
  message: ExpertMessage;
  isEncrypted: boolean;
  isOwn: boolean;
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
        <p className={styles.remark}>Written before the agent saw your last answer.</p>
      )}
    </>
  );
}

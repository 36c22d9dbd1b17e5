import type { ReactNode } from 'react';
import { OpenExpertKey } from '../expert-key/open-expert-key.tsx';
import { useExpertKey } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PressGuard } from '../ui/press-guard.ts';
import { hasEnded } from './conversation-state.ts';
import { EncryptedReply } from './encrypted-reply.tsx';
import { AllKept } from './kept-draft.tsx';
import { type FailureCode, refusalSentence } from './refusal-sentences.ts';
import { Reply, type ReplyProps } from './reply.tsx';
import styles from './reply-area.module.css';
import { useDrafts } from './use-drafts.ts';
import { ReplyLine, usePresses } from './use-presses.tsx';

interface ReplyAreaProps extends Omit<ReplyProps, 'isFocused' | 'drafts' | 'presses'> {
  readonly requestId: string;
}

/** Where the expert answers: a text box, or the step that is needed before. */
export function ReplyArea({ requestId, ...props }: ReplyAreaProps) {
  const drafts = useDrafts(requestId);
  return drafts && props.conversation.now.request && <Area {...props} drafts={drafts} />;
}

function Area(props: Omit<ReplyAreaProps, 'requestId'> & Pick<ReplyProps, 'drafts'>) {
  const { conversation, drafts, onNext } = props;
  const { request, refusal } = conversation.now;
  const presses = usePresses(conversation, drafts);
  if (!request) return null;
  const warning = (code: FailureCode) => <Warning code={code} onReadAgain={conversation.retry} />;
  const kept = (title: string) => <AllKept conversation={conversation} drafts={drafts} title={title} />;
  const area = (children: ReactNode) => (
    <PressGuard value={presses.onPress}>
      <div className={styles.area}>{children}</div>
    </PressGuard>
  );
  if (hasEnded(request)) {
    return area(
      <>
        {refusal && warning(refusal)}
        {kept(
          `What you wrote was not sent: the request has ${request.status === 'expired' ? 'expired' : 'ended'}.`,
        )}
        <div className={styles.answer}>
          <ReplyLine hint={presses.hint}>
            <p className={styles.quiet}>This request has ended. Nothing more can be sent.</p>
          </ReplyLine>
          {onNext && <Button onClick={onNext}>Next request</Button>}
        </div>
        <ReadingKey conversation={conversation} />
      </>,
    );
  }
  if (refusal) {
    return area(
      <>
        {warning(refusal)}
        {kept('What you wrote was not sent.')}
      </>,
    );
  }
  const reply = (isFocused: boolean) => <Reply {...props} presses={presses} isFocused={isFocused} />;
  return area(
    request.encrypted ? (
      <EncryptedReply conversation={conversation} presses={presses} kept={kept} reply={reply} />
    ) : (
      reply(false)
    ),
  );
}

/** The messages of an ended conversation can still be read with the expert key. */
function ReadingKey({ conversation }: { conversation: ReplyAreaProps['conversation'] }) {
  const key = useExpertKey();
  if (!conversation.now.needsKey || (key.kind !== 'locked' && key.kind !== 'replaced')) return null;
  return (
    <div className={styles.panel}>
      <OpenExpertKey onDone={() => {}} />
    </div>
  );
}

function Warning({ code, onReadAgain }: { code: FailureCode; onReadAgain: () => void }) {
  const { what, next } = refusalSentence(code);
  return (
    <Notice kind="danger" title={what} actions={<Button onClick={onReadAgain}>Read it again</Button>}>
      <p>{next}</p>
    </Notice>
  );
}

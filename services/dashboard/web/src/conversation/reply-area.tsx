import { hasEnded } from '@expert-relay/sdk/internal';
import { type ReactNode, Suspense, useState } from 'react';
import { OpenExpertKey } from '../expert-key/open-expert-key.tsx';
import { useExpertKey } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Notice } from '../ui/notice.tsx';
import { PressGuard } from '../ui/press-guard.tsx';
import { EncryptedReply } from './encrypted-reply.tsx';
import { askedBy, maxTogether, type SimilarRequest, type Together } from './equal-requests.ts';
import type { FailureCode } from './failure-codes.ts';
import { failureSentence } from './failure-sentences.ts';
import { AllKept } from './kept-draft.tsx';
import { Reply, type ReplyProps } from './reply.tsx';
import styles from './reply-area.module.css';
import { useDrafts } from './use-drafts.ts';
import { usePresses } from './use-presses.ts';

// With the form, to which it belongs.
const EqualRequests = lazyPage(async () => (await import('./equal-requests-panel.tsx')).EqualRequests);

type OwnProps = 'isFocused' | 'drafts' | 'presses' | 'similar' | 'onTogether' | 'isTogether';
interface ReplyAreaProps extends Omit<ReplyProps, OwnProps> {
  /** Other requests that may be equal to this one. */
  readonly similar: readonly SimilarRequest[];
}

/** Where the expert answers: a text box, or the step that is needed before. */
export function ReplyArea(props: ReplyAreaProps) {
  const drafts = useDrafts(props.requestId);
  return drafts && props.conversation.now.request && <Area {...props} drafts={drafts} />;
}

function Area({ similar, ...props }: ReplyAreaProps & Pick<ReplyProps, 'drafts'>) {
  const { conversation, drafts, onNext } = props;
  const [together, setTogether] = useState<Together>();
  const { request, refusal } = conversation.now;
  const key = useExpertKey();
  const presses = usePresses(conversation, drafts, !request?.encrypted || key.kind === 'ready');
  if (!request) return null;
  const warning = (code: FailureCode) => <Warning code={code} onReadAgain={conversation.retry} />;
  const kept = (title: string) => <AllKept conversation={conversation} drafts={drafts} title={title} />;
  const area = (children: ReactNode) => (
    <PressGuard value={presses.onPress}>
      <div className={styles.place}>
        <p role="status" className={styles.pressHint}>
          {presses.hint}
        </p>
        <div className={styles.area}>
          {together && (
            <Suspense>
              <EqualRequests {...props} presses={presses} together={together} onChange={setTogether} />
            </Suspense>
          )}
          {children}
        </div>
      </div>
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
          <p className={styles.quiet}>This request has ended. Nothing more can be sent.</p>
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
  const canOffer = !together && similar.length > 0 && askedBy(conversation.now) !== undefined;
  const offered = canOffer ? similar.slice(0, maxTogether - 1) : [];
  const reply = (isFocused: boolean) => (
    <Reply
      {...props}
      presses={presses}
      isFocused={isFocused}
      similar={offered.length}
      onTogether={() => setTogether({ similar: offered })}
      isTogether={together?.sent !== undefined}
    />
  );
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
  const { what, next } = failureSentence(code);
  return (
    <Notice kind="danger" title={what} actions={<Button onClick={onReadAgain}>Read it again</Button>}>
      <p>{next}</p>
    </Notice>
  );
}

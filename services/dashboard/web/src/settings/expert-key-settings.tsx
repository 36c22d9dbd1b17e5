import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { ExpertKeyPanel, NoExpertKey } from '../expert-key/expert-key-panel.tsx';
import { Confirmation } from '../relay/confirmation.tsx';
import { useAppContext, useExpertKey } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Notice } from '../ui/notice.tsx';
import rows from '../ui/rows.module.css';
import { Skeleton } from '../ui/skeleton.tsx';
import { useDone } from '../ui/use-done.ts';
import { Section } from './section.tsx';
import styles from './settings.module.css';

const MakeExpertKey = lazyPage(async () => (await import('../expert-key/make-expert-key.tsx')).MakeExpertKey);
const ReplaceExpertKey = lazyPage(
  async () => (await import('../expert-key/replace-expert-key.tsx')).ReplaceExpertKey,
);

/** `begin`: make the first key, or open the existing one by its code. */
type Part = 'begin' | 'renew' | 'replace' | 'make' | 'remove';

export function ExpertKeySettings() {
  const { storage } = useAppContext();
  const state = useExpertKey();
  const [chosen, setOpen] = useState<Part>();
  // Another tab may have made or opened the key in the meantime.
  const open = chosen === 'begin' && state.kind === 'ready' ? undefined : chosen;
  const [done, setDone] = useDone();
  const buttons = useRef<HTMLDivElement>(null);
  const returnsTo = useRef<Part>(undefined);

  function begin(part: Part) {
    returnsTo.current = part;
    setOpen(part);
  }
  function finish(text: string) {
    setOpen(undefined);
    setDone(text);
  }
  const cancel = () => finish('');

  // The focus returns to the button that opened the panel, or to its replacement.
  useEffect(() => {
    if (open || !returnsTo.current) return;
    const all = buttons.current;
    const button = all?.querySelector<HTMLElement>(`[name="${returnsTo.current}"]`);
    (button ?? all?.querySelector<HTMLElement>('button'))?.focus();
    returnsTo.current = undefined;
  }, [open]);

  return (
    <Section title="Your key" done={done}>
      {state.kind === 'loading' && <Skeleton lines={['60%', '90%']} />}
      {state.kind === 'unsupported' && <NoExpertKey />}
      {state.kind === 'missing' && (
        <p className={styles.about}>
          You have no key yet. It is made when you first answer an encrypted request, or now.
        </p>
      )}
      {state.kind === 'locked' && (
        <p className={styles.about}>
          Your key is not in this browser. Your recovery code opens it here, so that you can read and answer
          encrypted requests.
        </p>
      )}
      {state.kind === 'replaced' && (
        <p className={styles.about}>
          You have made a new key on another device. The one in this browser is no longer in use.
        </p>
      )}
      {state.kind === 'ready' && (
        <>
          <p className={styles.about}>
            It encrypts your answers. Read its fingerprint to the person who sets up an agent: it proves that
            it is you.
          </p>
          <div className={styles.fingerprint}>
            <code className={styles.digits}>{state.fingerprint}</code>
            <CopyButton text={state.fingerprint} aria-label="Copy the fingerprint" />
          </div>
          {!storage.isLasting && (
            <Notice kind="warning" title="This browser forgets your key when you close the page.">
              <p>It stores nothing, as in a private window. Have your recovery code ready.</p>
            </Notice>
          )}
        </>
      )}
      <div ref={buttons} className={rows.actions} hidden={open !== undefined}>
        {state.kind === 'missing' && (
          <Button name="begin" onClick={() => begin('begin')}>
            Make my key
          </Button>
        )}
        {(state.kind === 'locked' || state.kind === 'replaced') && (
          <Button name="begin" onClick={() => begin('begin')}>
            Enter the recovery code
          </Button>
        )}
        {state.kind === 'ready' && (
          <>
            <Button name="renew" onClick={() => begin('renew')}>
              New recovery code
            </Button>
            <Button name="remove" onClick={() => begin('remove')}>
              Remove from this browser
            </Button>
            <Button name="replace" look="danger" onClick={() => begin('replace')}>
              Make a new key…
            </Button>
          </>
        )}
      </div>
      <Suspense fallback={<Skeleton lines={['40%', '90%', '60%']} />}>{openPart()}</Suspense>
    </Section>
  );

  function openPart(): ReactNode {
    if (open === 'begin') {
      return <ExpertKeyPanel onDone={() => finish('Your key is in this browser now.')} onCancel={cancel} />;
    }
    if (open === 'renew') {
      const onDone = () => finish('The new code is in use. The old one no longer opens your key.');
      return <MakeExpertKey what="code" onDone={onDone} onCancel={cancel} />;
    }
    if (open === 'replace') {
      return <ReplaceExpertKey hasKey onMake={() => setOpen('make')} onCancel={cancel} />;
    }
    if (open === 'make') {
      return (
        <MakeExpertKey
          onDone={() => finish('You have a new fingerprint: give it to the owners of your agents.')}
          onCancel={cancel}
        />
      );
    }
    if (open === 'remove') {
      return <RemoveKey onDone={() => finish('Your key is removed from this browser.')} onCancel={cancel} />;
    }
    return null;
  }
}

function RemoveKey({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const { expertKey } = useAppContext();
  return (
    <Confirmation
      title="Remove your key from this browser?"
      submit={['Remove the key', 'Removing…']}
      onConfirm={async () => {
        await expertKey.forget();
        onDone();
      }}
      onKeep={onCancel}
    >
      To read and answer encrypted requests here again, you need your recovery code. If you do not have it,
      make a new recovery code first.
    </Confirmation>
  );
}

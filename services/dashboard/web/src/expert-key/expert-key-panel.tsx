import { Suspense } from 'react';
import { useExpertKey } from '../session/app-context.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Notice } from '../ui/notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const MakeExpertKey = lazyPage(async () => (await import('./make-expert-key.tsx')).MakeExpertKey);
const OpenExpertKey = lazyPage(async () => (await import('./open-expert-key.tsx')).OpenExpertKey);

interface ExpertKeyPanelProps {
  /** The key is in use in this browser now. */
  readonly onDone: () => void;
  readonly onCancel?: () => void;
}

/** The step that an encrypted request needs before it can be read or answered here; empty once the key is ready. */
export function ExpertKeyPanel({ onDone, onCancel }: ExpertKeyPanelProps) {
  const { kind } = useExpertKey();
  if (kind === 'ready') return null;
  if (kind === 'unsupported') return <NoExpertKey />;
  const rest = { onDone, ...(onCancel && { onCancel }) };
  const loading = <Skeleton lines={['40%', '90%', '60%']} />;
  if (kind === 'loading') return loading;
  return (
    <Suspense fallback={loading}>
      {kind === 'missing' ? <MakeExpertKey {...rest} /> : <OpenExpertKey {...rest} />}
    </Suspense>
  );
}

/** The reason why encrypted requests cannot be read here, and what to do. */
export function NoExpertKey() {
  return (
    <Notice kind="warning" title="Encrypted requests cannot be read or answered here.">
      <p>
        This browser is too old to encrypt. Update it, or use a current Chrome, Edge, Firefox or Safari.
        Requests without encryption work as always.
      </p>
    </Notice>
  );
}

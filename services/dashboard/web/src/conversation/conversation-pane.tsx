import { Suspense } from 'react';
import { lazyPage } from '../app/lazy-page.tsx';
import { ConversationSkeleton } from './conversation-skeleton.tsx';

const load = async () => (await import('./conversation-view.tsx')).ConversationView;
const ConversationView = lazyPage(load);

// Before one is opened, once the page has nothing else to do.
const whenIdle = globalThis.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 2_000));
whenIdle(() => void load().catch(() => {}));

export function ConversationPane({ requestId }: { requestId: string }) {
  return (
    <Suspense fallback={<ConversationSkeleton />}>
      <ConversationView requestId={requestId} />
    </Suspense>
  );
}

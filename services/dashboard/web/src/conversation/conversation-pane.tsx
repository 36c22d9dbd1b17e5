import { Suspense } from 'react';
import { lazyPage } from '../app/lazy-page.tsx';
import { ConversationSkeleton } from './conversation-skeleton.tsx';

const load = async () => (await import('./conversation-view.tsx')).ConversationView;
const ConversationView = lazyPage(load);

// Preloads the view while the page is idle.
const whenIdle = globalThis.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 2_000));
whenIdle(() => void load().catch(() => {}));

export function ConversationPane({ requestId }: { requestId: string }) {
  return (
    <Suspense fallback={<ConversationSkeleton />}>
      <ConversationView requestId={requestId} />
    </Suspense>
  );
}

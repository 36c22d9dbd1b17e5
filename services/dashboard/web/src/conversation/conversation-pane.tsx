import { Suspense } from 'react';
import { lazyPage, loadCode } from '../app/lazy-page.tsx';
import { ConversationSkeleton } from './conversation-skeleton.tsx';

const load = async () => (await import('./conversation-view.tsx')).ConversationView;
const ConversationView = lazyPage(load);

/** Loads the code of conversations before one is opened. */
export const preloadConversation = (): void => void loadCode(load).catch(() => {});

export function ConversationPane({ requestId }: { requestId: string }) {
  return (
    <Suspense fallback={<ConversationSkeleton />}>
      <ConversationView requestId={requestId} />
    </Suspense>
  );
}

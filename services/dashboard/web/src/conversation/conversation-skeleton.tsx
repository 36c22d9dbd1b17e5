import { Skeleton } from '../ui/skeleton.tsx';

/** In the shape of a conversation: header, question, context. */
export function ConversationSkeleton() {
  return (
    <>
      <Skeleton lines={['180px', '120px']} />
      <Skeleton lines={['640px', '560px', '320px']} />
      <Skeleton lines={['80px', '480px']} />
    </>
  );
}

import type { Conversation } from '@expert-relay/sdk';
import { isOver } from './is-over.ts';

/** That something has not reached the expert; nothing when everything has. */
export function describeUnsent({
  unsent,
  status,
}: Pick<Conversation, 'unsent' | 'status'>): string | undefined {
  if (unsent.length === 0) return undefined;
  const what = unsent.length === 1 ? 'one text' : `${unsent.length} texts`;
  return isOver(status)
    ? `Never sent: ${what}. It ended before they could go out.`
    : `Not sent yet: ${what}. It waits on this machine and goes out by itself, encrypted, once the expert has picked the request up and while this server runs. Do not send it again.`;
}

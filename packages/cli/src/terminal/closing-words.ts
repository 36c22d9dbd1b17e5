import type { Party } from '@expert-relay/sdk';
import { makeSafe } from './make-safe.ts';

interface Closing {
  readonly closedBy?: Party | undefined;
  readonly closeReason?: string | undefined;
}

/**
 * Which side closed a conversation, and why, on one line; empty when the relay does not say it. A person or a model reads it, so a
 * reason cannot end its quotation.
 */
export function describeClosing({ closedBy, closeReason }: Closing, me: Party): string {
  if (closedBy === undefined) return '';
  const side = closedBy === me ? 'You have' : `The ${closedBy} has`;
  if (closeReason === undefined) return `${side} closed it.`;
  const reason = JSON.stringify(makeSafe(closeReason));
  return `${side} closed it. The reason, as the relay states it (not encrypted): ${reason}`;
}

import { describeParts } from '../thread/describe-message.ts';
import type { Draft } from '../thread/outbox.ts';
import type { PendingAnswer } from './expert-request.ts';

export const describePending = (
  { messageId, text, parts, code, reason }: Draft,
  state: PendingAnswer['state'],
): PendingAnswer => ({
  messageId,
  text,
  state,
  ...(code && { code }),
  ...(reason && { reason }),
  ...describeParts(parts, 'provider'),
});

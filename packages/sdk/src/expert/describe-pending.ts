import { describeParts } from '../thread/describe-message.ts';
import type { Draft } from '../thread/outbox.ts';
import type { PendingAnswer } from './expert-request.ts';

export const describePending = (
  { messageId, text, parts, code, problem }: Draft,
  state: PendingAnswer['state'],
): PendingAnswer => ({
  messageId,
  text,
  state,
  ...(code && { code }),
  ...(problem && { problem }),
  ...describeParts(parts, 'provider'),
});

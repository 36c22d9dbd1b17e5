import { Problem } from '@expert-relay/kit/problem';
import type { RequestStatus } from '../generated/client.ts';

/** Why an ended conversation takes nothing more. */
export function endedProblem(status: Extract<RequestStatus, 'closed' | 'expired'>): Problem {
  return new Problem(status === 'closed' ? 'conversation_closed' : 'conversation_expired');
}

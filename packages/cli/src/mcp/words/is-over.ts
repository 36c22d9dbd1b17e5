import { RelayError, type RequestStatus } from '@expert-relay/sdk';

export function isOver(status: RequestStatus): status is 'closed' | 'expired' {
  return status === 'closed' || status === 'expired';
}

/** Whether an error says no more than that. */
export function saysItIsOver(error: unknown): boolean {
  return (
    error instanceof RelayError &&
    (error.code === 'conversation_closed' || error.code === 'conversation_expired')
  );
}

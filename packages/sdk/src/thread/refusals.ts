import { messageRefused } from '../crypto/refusal.ts';
import { RelayError } from '../relay-error.ts';
import type { RequestStatus } from '../request-state.ts';

export const plaintextRefused = () =>
  messageRefused('plaintext_refused', 'A message came as plain text, which the relay could have written.');

export function ended(status: RequestStatus): RelayError {
  const end = status === 'expired' ? status : 'closed';
  return new RelayError(`conversation_${end}`, `The conversation is ${end}. Ask anew to go on.`);
}

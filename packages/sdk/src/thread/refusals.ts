import { messageRefused } from '../crypto/refusal.ts';
import { RelayError, type RelayErrorCode } from '../relay-error.ts';
import type { RequestStatus } from '../request-state.ts';

/** What ends a conversation for good: somebody between the two sides does what must not be done. */
const refusals: ReadonlySet<RelayErrorCode> = new Set<RelayErrorCode>([
  'invalid_public_key',
  'unknown_expert',
  'key_signature_missing',
  'key_signature_wrong',
  'question_altered',
  'keys_changed',
  'malformed_message',
  'wrong_role',
  'wrong_sender_key',
  'wrong_signature',
  'undecryptable',
  'malformed_frame',
  'message_missing',
  'message_replayed',
  'plaintext_refused',
]);

export const isRefusal = (error: unknown): error is RelayError =>
  error instanceof RelayError && refusals.has(error.code);

export const plaintextRefused = () =>
  messageRefused('plaintext_refused', 'A message came as plain text, which the relay could have written.');

export function ended(status: RequestStatus): RelayError {
  const end = status === 'expired' ? status : 'closed';
  return new RelayError(
    `conversation_${end}`,
    `The conversation is ${end}: nothing more is sent or answered. Ask anew to go on.`,
  );
}

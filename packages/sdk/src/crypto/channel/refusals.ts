import { RelayError } from '../../relay-error.ts';
import { messageRefused } from '../refusal.ts';

/* Why a message is not shown, or not sent. */

export const wrongRole = () =>
  messageRefused('wrong_role', "A message of one side is listed as the other's.");

export const wrongSenderKey = () =>
  messageRefused(
    'wrong_sender_key',
    "A message was made with another key than its sender's.",
    'Ask its sender to send it again.',
  );

export const wrongSignature = () =>
  messageRefused('wrong_signature', 'A message is not signed by its sender.');

export const undecryptable = () =>
  messageRefused(
    'undecryptable',
    'A message cannot be decrypted with the keys of this conversation.',
    'Ask its sender to send it again.',
  );

export const tooLarge = (length: number, most: number) =>
  new RelayError(
    'message_too_large',
    `The text has ${length} bytes, a message at most ${most}. Send it in parts.`,
  );

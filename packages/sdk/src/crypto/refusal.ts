import { RelayError, type RelayErrorName } from '../relay-error.ts';

/** Whether an error ends a conversation permanently, because someone between the two sides may have changed something. */
export const isRefusal = (error: unknown): error is RelayError =>
  RelayError.is(error, 'new_expert', 'once_reused', 'unprotected', 'unsupported_version', 'untrusted');

/** An error that ends a conversation permanently. */
export const refusal = (
  name: RelayErrorName,
  what: string,
  advice = 'Do not trust this relay before you know why.',
): RelayError => new RelayError(name, `${what} ${advice}`);

export const messageRefused = (name: RelayErrorName, what: string, advice?: string): RelayError =>
  refusal(name, `${what} It is not shown.`, advice);

/* The reasons for which a message is not shown or not sent. */

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

export const unsequencedRefused = () =>
  messageRefused(
    'unsequenced_refused',
    'A message does not say which messages came before it, so some may be missing.',
    "Bring the expert's client up to date, or set `acceptUnprotected`.",
  );

export const malformedFrame = (why: string) =>
  messageRefused('malformed_frame', `A message ${why}.`, 'Bring both sides to the same version.');

/** `most` is what remains for the text beside the files and forms of the message. */
export const tooLarge = (length: number, most: number) =>
  new RelayError(
    'message_too_large',
    `The text has ${length} bytes. With its files the message has room for ${Math.max(most, 0)}. Send it in several messages.`,
  );

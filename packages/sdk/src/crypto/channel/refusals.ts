import { RelayError } from '../../relay-error.ts';

/* Why a message is not shown, each a sentence that says what to do. */

export const wrongRole = () =>
  new RelayError(
    'wrong_role',
    'The relay shows a message of one side as if the other had written it. Its text is not shown. Do not trust this relay before you know why.',
  );

export const wrongSenderKey = () =>
  new RelayError(
    'wrong_sender_key',
    'A message was made with another key than its sender has in this conversation. Its text is not shown. It may belong to another conversation: ask its sender to send it again.',
  );

export const wrongSignature = () =>
  new RelayError(
    'wrong_signature',
    "The signature of a message is not its sender's: somebody else wrote or altered it. Its text is not shown. Do not trust this relay before you know why.",
  );

export const undecryptable = () =>
  new RelayError(
    'undecryptable',
    'A message is signed by its sender but cannot be decrypted with the keys of this conversation. Its text is not shown. Ask its sender whether both have the same keys.',
  );

export const tooLarge = (length: number, most: number) =>
  new RelayError(
    'message_too_large',
    `The text has ${length.toLocaleString('en')} bytes; a message holds about ${most.toLocaleString('en')}. Shorten it, or send it in parts.`,
  );

import type { Protection } from '@expert-relay/sdk';

/** Of a message whose sender had not seen the last one of this side. */
export const writtenBefore = 'This was written before your last message was read.';

/** How a message is protected, in a few words. */
export const protectionWords: Readonly<Record<Protection, string>> = {
  sequenced: 'end-to-end encrypted',
  unsequenced: 'end-to-end encrypted, not numbered',
  plaintext: 'plain text, readable by the relay',
};

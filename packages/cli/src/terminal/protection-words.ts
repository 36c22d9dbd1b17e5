import type { Protection } from '@expert-relay/sdk';

/** How a message is protected, in a few words. */
export const protectionWords: Readonly<Record<Protection, string>> = {
  sequenced: 'end-to-end encrypted',
  unsequenced: 'end-to-end encrypted, not numbered',
  plaintext: 'plain text, readable by the relay',
};

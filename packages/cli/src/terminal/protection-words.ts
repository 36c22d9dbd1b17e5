import type { Conversation, Protection } from '@expert-relay/sdk';

/** Shown with a message whose sender had not seen the last one of this side. */
export const writtenBefore = 'This was written before your last message was read.';

/** How a message is protected, in a few words. */
export const protectionWords: Readonly<Record<Protection, string>> = {
  sequenced: 'end-to-end encrypted',
  unsequenced: 'end-to-end encrypted, without links',
  plaintext: 'plain text, readable by the relay',
};

/** How far an answer can be trusted, in one sentence. */
export function describeTrust(
  protection: Protection,
  { verification, fingerprint }: Pick<Conversation, 'verification' | 'fingerprint'>,
): string {
  if (protection === 'plaintext') return 'Plain text: the relay could read this, or have written it.';
  const order =
    protection === 'unsequenced'
      ? ' Its client does not say which messages came before: a missing one would go unnoticed.'
      : '';
  const who = {
    known: `from the expert you know (${fingerprint}).`,
    'first-contact': `from an expert met for the first time. Compare the fingerprint with the one in their \`relay keys\`: ${fingerprint}`,
    unverified: 'but by a client that does not prove its keys: the relay could have replaced them.',
    none: 'but no expert has proven an identity.',
  }[verification];
  return `End-to-end encrypted, ${who}${order}`;
}

import type { Conversation, Protection } from '@expert-relay/sdk';

/** How far an answer can be trusted, in a sentence; never more than is known. */
export function describeTrust(
  protection: Protection,
  { verification, fingerprint }: Pick<Conversation, 'verification' | 'fingerprint'>,
): string {
  if (protection === 'plaintext') return 'Plain text: the relay could read this, or have written it.';
  const place =
    protection === 'unsequenced'
      ? ' Its client does not number messages: a missing one would go unnoticed.'
      : '';
  const who = {
    known: `from the expert you know (${fingerprint}).`,
    'first-contact': `from an expert met for the first time. Compare the fingerprint with the one in their \`relay keys\`: ${fingerprint}`,
    unverified:
      'but by a client that does not prove its keys: the relay could have put others in their place.',
    none: 'but nobody has proven to be the expert.',
  }[verification];
  return `End-to-end encrypted, ${who}${place}`;
}

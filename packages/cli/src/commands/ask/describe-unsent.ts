import type { Conversation } from '@expert-relay/sdk';

type About = Pick<Conversation, 'unsent' | 'status' | 'isEncrypted' | 'verification'>;

/** That texts have not gone out, and when they will; empty when all have. */
export function describeUnsent({ unsent, status, isEncrypted, verification }: About): string {
  const { length } = unsent;
  if (length === 0) return '';
  const [texts, go, they] = length === 1 ? ['One text', 'goes', 'it'] : [`${length} texts`, 'go', 'they'];
  if (status === 'closed' || status === 'expired') {
    return `${texts} never went out: the conversation is ${status}.`;
  }
  const waits = isEncrypted && verification === 'none';
  const when = waits
    ? `${they} ${go} out encrypted, once the expert has picked the request up and a relay command waits in this conversation`
    : `${they} ${go} out once the relay answers and a relay command waits in this conversation`;
  return `${texts} of yours ${length === 1 ? 'has' : 'have'} NOT gone out yet: ${when}.`;
}

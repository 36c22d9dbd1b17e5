import type { Entry } from '../store/conversations.ts';

/** What the agent's side said, as it is kept. */
export function ownEntry(said: {
  text: string;
  isEncrypted: boolean;
  messageId?: string | undefined;
  now: number;
}): Entry {
  const { text, isEncrypted, messageId, now } = said;
  return {
    role: 'consumer',
    text,
    messageId,
    createdAt: new Date(now).toISOString(),
    protection: isEncrypted ? 'sequenced' : 'plaintext',
  };
}

import type { Protection } from '../agent/conversation.ts';
import { malformed, readOrigin } from '../crypto/channel/message.ts';
import { undecryptable } from '../crypto/channel/refusals.ts';
import type { Channel, MessageRecord } from '../crypto/index.ts';
import type { Members } from '../transport/shape.ts';
import { plaintextRefused } from './refusals.ts';

/** A message that was read and found in order. */
export interface Message {
  readonly role: 'consumer' | 'provider';
  readonly text: string;
  readonly messageId: string;
  readonly createdAt: string;
  readonly protection: Protection;
  /** Whether the other side, when it wrote this, had seen the last text of this one; undefined when that is unknown. */
  readonly seenYourLast?: boolean | undefined;
}

/** Begins to decrypt a record. What it returns gives the text, or the refusal. Of a record with a blob, only that counts. */
export function beginRecord(
  record: Members,
  channel: Channel | undefined,
  takesPlaintext: () => Promise<boolean>,
): () => Promise<Omit<Message, 'createdAt'>> {
  const { encrypted, signature, plaintext } = record;
  const isEncrypted = (encrypted ?? signature ?? undefined) !== undefined;
  // The channel looks at every member itself.
  const open = isEncrypted ? channel?.begin(record as unknown as MessageRecord) : undefined;
  return async () => {
    const { role, messageId } = readOrigin(record);
    if (open) return { role, messageId, ...(await open()) };
    if (isEncrypted) throw undecryptable();
    if (typeof plaintext !== 'string') throw malformed('content');
    if (channel || !(await takesPlaintext())) throw plaintextRefused();
    return { role, messageId, text: plaintext, protection: 'plaintext' };
  };
}

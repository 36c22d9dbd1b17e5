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
}

/** The text of a record, or the refusal of it. Where a blob is there, only the blob counts. */
export async function openRecord(
  record: Members,
  channel: Channel | undefined,
  takesPlaintext: boolean,
): Promise<Omit<Message, 'createdAt'>> {
  const { encrypted, signature, plaintext } = record;
  const { role, messageId } = readOrigin(record);
  if ((encrypted ?? signature ?? undefined) !== undefined) {
    if (!channel) throw undecryptable();
    // The channel looks at every member itself.
    return { role, messageId, ...(await channel.open(record as unknown as MessageRecord)) };
  }
  if (typeof plaintext !== 'string') throw malformed('it has no content');
  if (!takesPlaintext || channel) throw plaintextRefused();
  return { role, messageId, text: plaintext, protection: 'plaintext' };
}

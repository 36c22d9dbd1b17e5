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

/** The text of a record, or the refusal of it. Where a blob is there, only the blob counts. */
export async function openRecord(
  record: Members,
  channel: Channel | undefined,
  takesPlaintext: () => Promise<boolean>,
): Promise<Omit<Message, 'createdAt'>> {
  const { encrypted, signature, plaintext } = record;
  const { role, messageId } = readOrigin(record);
  if ((encrypted ?? signature ?? undefined) !== undefined) {
    if (!channel) throw undecryptable();
    // The channel looks at every member itself.
    return { role, messageId, ...(await channel.open(record as unknown as MessageRecord)) };
  }
  if (typeof plaintext !== 'string') throw malformed('it has no content');
  if (channel || !(await takesPlaintext())) throw plaintextRefused();
  return { role, messageId, text: plaintext, protection: 'plaintext' };
}

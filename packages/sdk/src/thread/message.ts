import { fromBase64 } from '../crypto/base64.ts';
import { type Bytes, concat, toUtf8 } from '../crypto/bytes.ts';
import type { Channel } from '../crypto/channel.ts';
import type { Role } from '../crypto/key-exchange.ts';
import type { MessageRecord } from '../crypto/message.ts';
import { malformed, readOrigin } from '../crypto/message.ts';
import { answerKind } from '../crypto/parts.ts';
import { messageRefused, undecryptable } from '../crypto/refusal.ts';
import { RelayError } from '../relay-error.ts';
import type { Party, RequestStatus } from '../request-state.ts';
import { type Members, textOf } from '../transport/shape.ts';
import { type MessageParts, type SavedPart, savedParts } from './message-parts.ts';

/**
 * How an answer is protected:
 * - `sequenced`: encrypted, signed, and in the right order: no message before it is missing;
 * - `unsequenced`: encrypted and signed, by a client that does not link its messages;
 * - `plaintext`: not protected. The relay could have written it.
 */
export type Protection = 'sequenced' | 'unsequenced' | 'plaintext';

/** A message that was read and passed all checks. */
export interface Message extends MessageParts {
  readonly from: Party;
  /** It may be empty if the message carries something else. */
  readonly text: string;
  readonly messageId: string;
  /** When the relay received it, ISO 8601, UTC. */
  readonly createdAt: string;
  readonly protection: Protection;
  /**
   * For a message of the other side: whether it had seen this side's last text when it wrote this. Undefined when that
   * is unknown.
   */
  readonly seenYourLast?: boolean | undefined;
}

/** A message as it is saved. */
export interface ReadMessage extends Omit<Message, keyof MessageParts | 'from'> {
  /** As the relay calls its sender. */
  readonly role: Role;
  /** By which later messages link to it. Plain text has none. */
  readonly hash?: string | undefined;
  readonly parts?: readonly SavedPart[] | undefined;
}

/**
 * Starts to decrypt a record. The function that it returns waits for the result. When a record has an encrypted
 * member, its plain text is ignored. `formOf` names the form that an answer in plain text is about: without it, such an
 * answer is ignored.
 */
export function beginRecord(
  record: Members,
  channel: Channel | undefined,
  mayBePlain: (author: Role) => boolean,
  formOf?: string,
): () => Promise<Omit<ReadMessage, 'createdAt'>> {
  const { encrypted, signature, plaintext } = record;
  const isEncrypted = (encrypted ?? signature ?? undefined) !== undefined;
  // The channel checks every member.
  const open = isEncrypted ? channel?.begin(record as unknown as MessageRecord) : undefined;
  return async () => {
    const { role, messageId } = readOrigin(record);
    if (open) {
      const { parts, ...opened } = await open();
      return { role, messageId, ...opened, ...(parts.length > 0 && { parts: savedParts(parts) }) };
    }
    if (isEncrypted) throw undecryptable();
    if (typeof plaintext !== 'string' || plaintext === '') throw malformed('content');
    if (channel || !mayBePlain(role)) throw plaintextRefused();
    const json = textOf(record.answer);
    const of = role === 'provider' && json !== undefined && formOf ? fromBase64(formOf) : undefined;
    const parts = of && plainAnswer(of, json as string);
    return { role, messageId, text: plaintext, protection: 'plaintext', ...(parts && { parts }) };
  };
}

/** An answer in plain text is read like one in a frame. */
function plainAnswer(of: Bytes, json: string): readonly SavedPart[] {
  try {
    return savedParts([{ kind: answerKind, body: concat(of, toUtf8(json)) }]);
  } catch {
    throw malformed('answer');
  }
}

const plaintextRefused = () =>
  messageRefused('plaintext_refused', 'A message came as plain text, which the relay could have written.');

export function ended(status: RequestStatus): RelayError {
  const end = status === 'expired' ? status : 'closed';
  return new RelayError(end, `The conversation is ${end}. Make a new request to go on.`);
}

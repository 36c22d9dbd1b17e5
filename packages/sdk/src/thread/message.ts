import { toUtf8 } from '../crypto/bytes.ts';
import type { Channel, MessageRecord, Role } from '../crypto/index.ts';
import { malformed, readOrigin } from '../crypto/message.ts';
import { messageRefused, tooLarge, undecryptable } from '../crypto/refusal.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import type { RequestStatus } from '../request-state.ts';
import type { Members } from '../transport/shape.ts';

/**
 * How an answer is protected:
 * - `sequenced`: encrypted, signed, and in the right order: no message before it is missing;
 * - `unsequenced`: encrypted and signed, by a client that does not number its messages;
 * - `plaintext`: not protected. The relay could have written it.
 */
export type Protection = 'sequenced' | 'unsequenced' | 'plaintext';

/** A message that was read and passed all checks. */
export interface Message {
  /** `consumer` is the agent, `provider` the expert. */
  readonly role: 'consumer' | 'provider';
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
  /** True when it has a part that this version cannot show. Then the text may be empty. */
  readonly hasUnknownPart?: boolean | undefined;
}

/** A message with the name under which later messages link to it. Plain text has none. */
export interface ReadMessage extends Message {
  readonly link?: string | undefined;
}

export const withoutLink = ({ link, ...message }: ReadMessage): Message => message;

/**
 * Starts to decrypt a record. The function that it returns waits for the result. When a record has an encrypted
 * member, its plain text is ignored.
 */
export function beginRecord(
  record: Members,
  channel: Channel | undefined,
  mayBePlain: (author: Role) => boolean,
): () => Promise<Omit<ReadMessage, 'createdAt'>> {
  const { encrypted, signature, plaintext } = record;
  const isEncrypted = (encrypted ?? signature ?? undefined) !== undefined;
  // The channel checks every member.
  const open = isEncrypted ? channel?.begin(record as unknown as MessageRecord) : undefined;
  return async () => {
    const { role, messageId } = readOrigin(record);
    if (open) {
      const { parts, ...opened } = await open();
      return { role, messageId, ...opened, ...(parts.length > 0 && { hasUnknownPart: true }) };
    }
    if (isEncrypted) throw undecryptable();
    if (typeof plaintext !== 'string' || plaintext === '') throw malformed('content');
    if (channel || !mayBePlain(role)) throw plaintextRefused();
    return { role, messageId, text: plaintext, protection: 'plaintext' };
  };
}

/** Refuses a text that could not be sent later. */
export function checkText(text: unknown, isPlain: boolean): void {
  if (typeof text !== 'string' || text === '') {
    throw invalidInput('Give a text that is not empty.');
  }
  const { length } = toUtf8(isPlain ? JSON.stringify(text) : text);
  // The call must stay below 1 MiB, as JSON or encrypted and in base64.
  const most = isPlain ? 1_040_000 : 775_000;
  if (length > most) throw tooLarge(length, most);
}

const plaintextRefused = () =>
  messageRefused('plaintext_refused', 'A message came as plain text, which the relay could have written.');

export function ended(status: RequestStatus): RelayError {
  const end = status === 'expired' ? status : 'closed';
  return new RelayError(`conversation_${end}`, `The conversation is ${end}. Make a new request to go on.`);
}

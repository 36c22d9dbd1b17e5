import type { Channel } from '../crypto/channel.ts';
import { mayShowPlaintext } from '../crypto/plaintext.ts';
import type { Role } from '../crypto/wire.ts';
import { digestOf } from '../store.ts';
import { isObject, textOf, unexpected } from '../transport/shape.ts';
import { beginRecord, type ReadMessage } from './message.ts';
import type { Listed } from './page.ts';
import type { Side } from './side.ts';

/** All characters, and 1,000 more for each message. A relay allows 64 MiB in 10,000 messages. */
const maxTotalLength = 1e8;

/** Opens the messages of the list, each once. */
export class ListedMessages {
  readonly #side: Side;
  readonly #hasDrafts: () => boolean;
  /** A digest of the content by messageId in lower case, to recognize repeated messages. */
  readonly #contents = new Map<string, string>();
  #totalLength = 0;

  /** `hasDrafts`: whether texts of this side wait to be encrypted. The other side cannot have seen them. */
  constructor(side: Side, hasDrafts: () => boolean) {
    this.#side = side;
    this.#hasDrafts = hasDrafts;
  }

  /** Whether a message with this id, in lower case, was opened. */
  has(messageId: string): boolean {
    return this.#contents.has(messageId);
  }

  /**
   * Starts to decrypt a message, and returns the function that opens it. One that was opened already is skipped if it is equal to the
   * byte. A changed one is opened, and then refused.
   */
  begin({ record, createdAt }: Listed, channel: Channel | undefined): () => Promise<ReadMessage[]> {
    const side = this.#side;
    const { messageId, role, encrypted, signature, plaintext, answer } = record;
    const { iv, ciphertext, tag, ephemeralPublicKey } = isObject(encrypted) ? encrypted : {};
    const members = [role, iv, ciphertext, tag, ephemeralPublicKey, signature, plaintext, answer];
    // Only strings: anything else is refused below, and JSON may be nested too deeply to be written.
    const hashing = digestOf(JSON.stringify(members.map(textOf)));
    const id = textOf(messageId)?.toLowerCase() ?? '';
    const formOf = side.agentSentKeys ? undefined : side.form?.of;
    const open = beginRecord(record, channel, (author) => this.#mayBePlain(author), formOf);
    return async () => {
      const digest = await hashing;
      if (this.#contents.get(id) === digest) return [];
      const message = await open();
      side.check?.(message, record);
      this.#contents.set(id, digest);
      this.#totalLength += message.text.length + 1_000;
      for (const { body } of message.parts ?? []) this.#totalLength += body.length;
      if (this.#totalLength > maxTotalLength) unexpected('a shorter list');
      const isOutdated = message.role !== side.role && this.#hasDrafts();
      return [{ ...message, createdAt, ...(isOutdated && { seenYourLast: false }) }];
    };
  }

  #mayBePlain(author: Role): boolean {
    const { role: reader, agentSentKeys, acceptUnprotected } = this.#side;
    return mayShowPlaintext({ reader, author, agentSentKeys, acceptUnprotected });
  }
}

/** How a field's value is written. */
export const wire = { varint: 0, bit64: 1, bytes: 2, bit32: 5 } as const;

/**
 * Goes over the fields of an encoded message in the order in which they stand, and makes nothing of them. protobuf's
 * own reader makes an object or two for each, which takes most of its time.
 */
export class Fields {
  readonly bytes: Buffer;
  number = 0;
  type = 0;
  /** A varint's value; not exact beyond 2^53. */
  value = 0;
  /** Where the value lies, when it is a text, some bytes or a message. */
  start = 0;
  end = 0;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get text(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  /** Whether there is one more. Throws when the bytes are no message of proto3. */
  next(): boolean {
    if (this.#at === this.bytes.length) return false;
    const tag = this.#readVarint();
    this.number = tag >>> 3;
    this.type = tag & 7;
    if (this.type === wire.bytes) {
      const length = this.#readVarint();
      this.start = this.#at;
      this.end = this.#at + length;
      this.#at = this.end;
    } else if (this.type === wire.varint) this.value = this.#readVarint();
    else if (this.type === wire.bit64) this.#at += 8;
    else if (this.type === wire.bit32) this.#at += 4;
    else throw new RangeError(`There is no kind of value ${this.type}.`);
    if (this.number === 0 || this.#at > this.bytes.length)
      throw new RangeError('These bytes are no message.');
    return true;
  }

  #readVarint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      // Beyond the end, where nothing is, it ends as well; whoever asked sees that it went too far.
      const byte = this.bytes[this.#at++] ?? 0;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
    }
    throw new RangeError('A number takes more than ten bytes.');
  }
}

/** Throws when the bytes are no message of proto3: whoever reads it later need not expect that. */
export function checkFields(bytes: Uint8Array): void {
  const fields = new Fields(bytes);
  while (fields.next());
}

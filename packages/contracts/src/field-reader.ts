/** The wire types of protobuf: how the value of a field is encoded. */
export const wireTypes = { varint: 0, bit64: 1, bytes: 2, bit32: 5 } as const;

/**
 * Reads the fields of an encoded message one after the other, without allocating memory. The reader of the protobuf
 * library makes an object or two for each field, which takes most of its time.
 */
export class FieldReader {
  readonly bytes: Buffer;
  number = 0;
  type = 0;
  /** The value of a varint; not exact above 2^53. */
  value = 0;
  /** The byte range of the value, when it is a text, bytes or a message. */
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

  /** Advances to the next field; false at the end. Throws when the bytes are not a proto3 message. */
  next(): boolean {
    if (this.#at === this.bytes.length) return false;
    const tag = this.#readVarint();
    this.number = tag >>> 3;
    this.type = tag & 7;
    if (this.type === wireTypes.bytes) {
      const length = this.#readVarint();
      this.start = this.#at;
      this.end = this.#at + length;
      this.#at = this.end;
    } else if (this.type === wireTypes.varint) this.value = this.#readVarint();
    else if (this.type === wireTypes.bit64) this.#at += 8;
    else if (this.type === wireTypes.bit32) this.#at += 4;
    else throw new RangeError(`Unknown wire type ${this.type}.`);
    if (this.number === 0 || this.#at > this.bytes.length)
      throw new RangeError('These bytes are not a protobuf message.');
    return true;
  }

  #readVarint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      // Beyond the end it reads a zero and stops; `next` then throws.
      const byte = this.bytes[this.#at++] ?? 0;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
    }
    throw new RangeError('A varint is longer than ten bytes.');
  }
}

import { isUtf8 } from 'node:buffer';
import { createCipheriv, type KeyObject, sign } from 'node:crypto';
import type { MessageRecord } from '../../crypto/index.ts';
import type { Opened, Side, ToSeal } from '../vectors/case.ts';
import { agentPairs, expertPairs, parsePems, type RawKeys, rawOf, refuseOwn } from './keys.ts';
import { agreed, base64, decrypt, hkdf, Refusal, refuseUnless, sha, tuple, verified } from './primitives.ts';

const largestFrame = 784_000;

/** The length of a frame with its zeros, in whole numbers alone. */
export function padded(length: number): number {
  if (length <= 256) return 256;
  const e = length.toString(2).length - 1;
  const s = e.toString(2).length;
  const rest = length % 2 ** (e - s);
  return Math.min(rest === 0 ? length : length - rest + 2 ** (e - s), largestFrame);
}

/** `undefined` links: no frame. */
export function readFrame(bytes: Buffer): { links: string[] | undefined; text: string } {
  const framed = bytes.length > 0 && bytes.readUInt8(0) >= 0xf8;
  let at = 0;
  let end = bytes.length;
  const links: string[] = [];
  if (framed) {
    refuseUnless(bytes.readUInt8(0) === 0xf8 && bytes.length >= 2, 'malformed_frame');
    at = 2;
    for (let left = bytes.readUInt8(1); left > 0; left -= 1, at += 32) {
      refuseUnless(bytes.length >= at + 32, 'malformed_frame');
      links.push(bytes.toString('hex', at, at + 32));
    }
    refuseUnless(bytes.length >= at + 4, 'malformed_frame');
    end = at + 4 + bytes.readUInt32BE(at);
    at += 4;
    refuseUnless(bytes.length >= end, 'malformed_frame');
    refuseUnless(bytes.subarray(end).equals(Buffer.alloc(bytes.length - end)), 'malformed_frame');
  }
  const text = bytes.subarray(at, end);
  refuseUnless(isUtf8(text), 'malformed_frame');
  return { links: framed ? links : undefined, text: text.toString('utf8') };
}

/** One side of a conversation: opens records as the list gives them, and seals. */
export class SecondChannel {
  /** The messages that were seen, oldest first: whether another links to them, and how many own ones they cover. */
  readonly #seen = new Map<string, { linked: boolean; covers: number }>();
  /** Those sealed here that the list has not shown. */
  readonly #expected: string[] = [];
  #own = 0;
  readonly #exchanged: Exchanged | undefined;
  readonly #side: Side;
  readonly #known: string | undefined;

  constructor(side: Side, known?: string) {
    this.#side = side;
    this.#known = known;
    this.#exchanged = exchange(side);
  }

  seal({ messageId, iv, text, times = 1 }: ToSeal) {
    const { keys, signing } = this.#afterExchange();
    refuseUnless(isUuid(messageId), 'invalid_input');
    const whole = text.repeat(times);
    const bytes = Buffer.from(whole, 'utf8');
    refuseUnless(bytes.toString('utf8') === whole, 'invalid_input');
    const links = [...this.#seen].flatMap(([hash, { linked }]) => (linked ? [] : [hash])).slice(0, 255);
    const start = [0xf8, links.length, ...Buffer.from(links.join(''), 'hex')];
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    const content = Buffer.concat([Buffer.from(start), length, bytes]);
    refuseUnless(content.length <= largestFrame, 'message_too_large');
    const frame = Buffer.concat([content], padded(content.length));
    const { role } = this.#side;
    const nonce = Buffer.from(iv, 'hex');
    const cipher = createCipheriv('aes-256-gcm', this.#key(role, messageId), nonce);
    const ciphertext = Buffer.concat([cipher.update(frame), cipher.final()]);
    const parts = [keys[role].encrypt, nonce, ciphertext, cipher.getAuthTag()] as const;
    const signed = this.#signed(role, messageId, parts);
    const [ephemeralPublicKey = '', ivText = '', ciphertextText = '', tag = ''] = parts.map((part) =>
      part.toString('base64'),
    );
    const message = {
      messageId,
      encrypted: { iv: ivText, ciphertext: ciphertextText, tag, ephemeralPublicKey },
      signature: sign(null, signed, signing).toString('base64'),
    };
    const link = sha('sha256', signed).toString('hex');
    this.#take(link, links, true);
    this.#expected.push(link);
    return { message, links: links.join(''), link };
  }

  open(record: Partial<MessageRecord> & { readonly plaintext?: string }): Opened {
    const code = 'malformed_message';
    const { role, messageId = '', encrypted, plaintext } = record;
    if (role !== 'consumer' && role !== 'provider') throw new Refusal(code);
    refuseUnless(isUuid(messageId), code);
    if (!encrypted && !record.signature) {
      refuseUnless(typeof plaintext === 'string', code);
      const isWelcome = this.#side.role === 'provider' || this.#known === undefined;
      refuseUnless(isWelcome && !this.#exchanged, 'plaintext_refused');
      return { text: plaintext, protection: 'plaintext' };
    }
    const { keys } = this.#afterExchange();
    const iv = base64(encrypted?.iv, code, 12);
    const ciphertext = base64(encrypted?.ciphertext, code);
    const tag = base64(encrypted?.tag, code, 16);
    const senderKey = base64(encrypted?.ephemeralPublicKey, code, 32);
    const signature = base64(record.signature, code, 64);
    const other = role === 'consumer' ? 'provider' : 'consumer';
    refuseUnless(!senderKey.equals(keys[other].encrypt), 'wrong_role');
    refuseUnless(senderKey.equals(keys[role].encrypt), 'wrong_sender_key');
    const signed = this.#signed(role, messageId, [senderKey, iv, ciphertext, tag]);
    refuseUnless(verified(keys[role].sign, signed, signature), 'wrong_signature');
    const key = this.#key(role, messageId);
    const { links, text } = readFrame(decrypt({ key, iv, ciphertext, tag }, 'undecryptable'));
    const hash = sha('sha256', signed).toString('hex');
    const isOwn = role === this.#side.role;
    if (this.#expected.includes(hash)) {
      refuseUnless(this.#expected.shift() === hash, 'message_missing');
    } else {
      refuseUnless(!this.#seen.has(hash), 'message_replayed');
      for (const link of links ?? []) refuseUnless(this.#seen.has(link), 'message_missing');
      this.#take(hash, links ?? [], isOwn);
    }
    if (!links) return { text, protection: 'unsequenced' };
    if (isOwn) return { text, protection: 'sequenced' };
    return { text, protection: 'sequenced', seenYourLast: this.#seen.get(hash)?.covers === this.#own };
  }

  #take(hash: string, links: readonly string[], isOwn: boolean): void {
    let covers = 0;
    if (isOwn) covers = this.#own += 1;
    for (const link of links) {
      const linked = this.#seen.get(link);
      if (!linked) continue;
      linked.linked = true;
      if (!isOwn && linked.covers > covers) covers = linked.covers;
    }
    this.#seen.set(hash, { linked: false, covers });
  }

  #afterExchange(): Exchanged {
    if (!this.#exchanged) throw new Refusal('undecryptable');
    return this.#exchanged;
  }

  #key(role: 'consumer' | 'provider', messageId: string): Buffer {
    const { keys: both, secret } = this.#afterExchange();
    const { consumer, provider } = both;
    const keys = [consumer.sign, consumer.encrypt, provider.sign, provider.encrypt];
    const info = tuple('expert-relay/v4/message-key', this.#side.requestId, role, ...keys);
    return hkdf(secret, messageId, info);
  }

  #signed(role: string, messageId: string, parts: readonly Buffer[]): Buffer {
    return tuple('expert-relay/v4/message', this.#side.requestId, role, messageId, ...parts);
  }
}

interface Exchanged {
  readonly keys: Record<'consumer' | 'provider', RawKeys>;
  readonly secret: Buffer;
  readonly signing: KeyObject;
}

function exchange({ own, requestId, role, peer: pems }: Side): Exchanged | undefined {
  if (!pems) return undefined;
  const pairs = 'root' in own ? expertPairs(own.root, requestId) : agentPairs(own);
  const peer = parsePems(pems);
  refuseOwn(rawOf(pairs), peer);
  const keys =
    role === 'consumer'
      ? { consumer: rawOf(pairs), provider: peer }
      : { consumer: peer, provider: rawOf(pairs) };
  return { keys, secret: agreed(pairs.encrypt, peer.encrypt), signing: pairs.sign };
}

function isUuid(text: unknown): boolean {
  const lengths =
    typeof text === 'string'
      ? text.split('-').map((part) => (/^[0-9a-f]+$/i.test(part) ? part.length : 0))
      : [];
  return lengths.join() === '8,4,4,4,12';
}

import { isUtf8 } from 'node:buffer';
import { createCipheriv, type KeyObject, sign } from 'node:crypto';
import type { MessageRecord } from '../../crypto/index.ts';
import type { Side } from '../vectors/case.ts';
import { agentPairs, expertPairs, parsePems, type RawKeys, rawOf, refuseOwn } from './keys.ts';
import { agreed, base64, decrypt, hkdf, Refusal, refuseUnless, sha, tuple, verified } from './primitives.ts';

export interface Opened {
  readonly text: string;
  readonly protection: string;
}

/** `undefined` links: no frame. */
export function readFrame(bytes: Buffer): { links: string[] | undefined; text: string } {
  const framed = bytes.length > 0 && bytes.readUInt8(0) >= 0xf8;
  let at = 0;
  const links: string[] = [];
  if (framed) {
    refuseUnless(bytes.readUInt8(0) === 0xf8 && bytes.length >= 2, 'malformed_frame');
    at = 2;
    for (let left = bytes.readUInt8(1); left > 0; left -= 1, at += 32) {
      refuseUnless(bytes.length >= at + 32, 'malformed_frame');
      links.push(bytes.toString('hex', at, at + 32));
    }
  }
  const text = bytes.subarray(at);
  refuseUnless(isUtf8(text), 'malformed_frame');
  return { links: framed ? links : undefined, text: text.toString('utf8') };
}

/** One side of a conversation: opens records as the list gives them, and seals. */
export class SecondChannel {
  /** The messages that were seen, oldest first, and whether another links to them. */
  readonly #seen = new Map<string, { linked: boolean }>();
  readonly #keys: Record<'consumer' | 'provider', RawKeys>;
  readonly #secret: Buffer;
  readonly #signing: KeyObject;
  readonly #side: Side;

  constructor(side: Side) {
    const { own, requestId, role } = side;
    const pairs = 'root' in own ? expertPairs(own.root, requestId) : agentPairs(own);
    const peer = parsePems(side.peer);
    refuseOwn(rawOf(pairs), peer);
    this.#side = side;
    this.#keys =
      role === 'consumer'
        ? { consumer: rawOf(pairs), provider: peer }
        : { consumer: peer, provider: rawOf(pairs) };
    this.#secret = agreed(pairs.encrypt, peer.encrypt);
    this.#signing = pairs.sign;
  }

  seal({ messageId, iv, text }: { messageId: string; iv: string; text: string }) {
    refuseUnless(isUuid(messageId), 'invalid_input');
    const bytes = Buffer.from(text, 'utf8');
    refuseUnless(bytes.toString('utf8') === text, 'invalid_input');
    const links = [...this.#seen].flatMap(([hash, { linked }]) => (linked ? [] : [hash])).slice(0, 255);
    const start = Buffer.from(`f8${links.length.toString(16).padStart(2, '0')}${links.join('')}`, 'hex');
    const { role } = this.#side;
    const nonce = Buffer.from(iv, 'hex');
    const cipher = createCipheriv('aes-256-gcm', this.#key(role, messageId), nonce);
    const ciphertext = Buffer.concat([cipher.update(Buffer.concat([start, bytes])), cipher.final()]);
    const parts = [this.#keys[role].encrypt, nonce, ciphertext, cipher.getAuthTag()] as const;
    const signed = this.#signed(role, messageId, parts);
    const [ephemeralPublicKey = '', ivText = '', ciphertextText = '', tag = ''] = parts.map((part) =>
      part.toString('base64'),
    );
    const message = {
      messageId,
      encrypted: { iv: ivText, ciphertext: ciphertextText, tag, ephemeralPublicKey },
      signature: sign(null, signed, this.#signing).toString('base64'),
    };
    return { message, links: links.join(''), link: sha('sha256', signed).toString('hex') };
  }

  open(record: Partial<MessageRecord>): Opened {
    const code = 'malformed_message';
    const { role, messageId = '', encrypted } = record;
    if (role !== 'consumer' && role !== 'provider') throw new Refusal(code);
    refuseUnless(isUuid(messageId), code);
    const iv = base64(encrypted?.iv, code, 12);
    const ciphertext = base64(encrypted?.ciphertext, code);
    const tag = base64(encrypted?.tag, code, 16);
    const senderKey = base64(encrypted?.ephemeralPublicKey, code, 32);
    const signature = base64(record.signature, code, 64);
    const other = role === 'consumer' ? 'provider' : 'consumer';
    refuseUnless(!senderKey.equals(this.#keys[other].encrypt), 'wrong_role');
    refuseUnless(senderKey.equals(this.#keys[role].encrypt), 'wrong_sender_key');
    const signed = this.#signed(role, messageId, [senderKey, iv, ciphertext, tag]);
    refuseUnless(verified(this.#keys[role].sign, signed, signature), 'wrong_signature');
    const key = this.#key(role, messageId);
    const { links, text } = readFrame(decrypt({ key, iv, ciphertext, tag }, 'undecryptable'));
    const hash = sha('sha256', signed).toString('hex');
    refuseUnless(!this.#seen.has(hash), 'message_replayed');
    for (const link of links ?? []) refuseUnless(this.#seen.has(link), 'message_missing');
    for (const link of links ?? []) this.#seen.set(link, { linked: true });
    this.#seen.set(hash, { linked: false });
    return { text, protection: links ? 'sequenced' : 'unsequenced' };
  }

  #key(role: 'consumer' | 'provider', messageId: string): Buffer {
    const { consumer, provider } = this.#keys;
    const keys = [consumer.sign, consumer.encrypt, provider.sign, provider.encrypt];
    const info = tuple('expert-relay/v4/message-key', this.#side.requestId, role, ...keys);
    return hkdf(this.#secret, messageId, info);
  }

  #signed(role: string, messageId: string, parts: readonly Buffer[]): Buffer {
    return tuple('expert-relay/v4/message', this.#side.requestId, role, messageId, ...parts);
  }
}

function isUuid(text: unknown): boolean {
  const lengths =
    typeof text === 'string'
      ? text.split('-').map((part) => (/^[0-9a-f]+$/i.test(part) ? part.length : 0))
      : [];
  return lengths.join() === '8,4,4,4,12';
}

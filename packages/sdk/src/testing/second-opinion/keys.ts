import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { PemKeys } from '../vectors/case.ts';
import {
  base64,
  hkdf,
  pemOf,
  privateKey,
  publicStart,
  Refusal,
  refuseUnless,
  sha,
  tuple,
  verified,
} from './primitives.ts';

export interface RawKeys {
  readonly sign: Buffer;
  readonly encrypt: Buffer;
}

export interface Pairs {
  readonly sign: KeyObject;
  readonly encrypt: KeyObject;
}

const prime = 2n ** 255n - 19n;
/** As numbers; of the two of order 8, each is the other's reflection. */
const weak = {
  sign: [
    0n,
    1n,
    prime - 1n,
    number('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
    number('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
  ],
  encrypt: [
    0n,
    1n,
    prime - 1n,
    number('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'),
    number('5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157'),
  ],
};

function number(hex: string): bigint {
  return BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`);
}

export function parsePem(kind: 'sign' | 'encrypt', pem: string): Buffer {
  const isSpace = (character: string | undefined) => character !== undefined && ' \t\r\n'.includes(character);
  const [before, rest = '', ...more] = pem.split('-----BEGIN PUBLIC KEY-----');
  const [inside = '', behind = '?', ...evenMore] = rest.split('-----END PUBLIC KEY-----');
  const wellMade =
    pem.length <= 1_000 &&
    [...more, ...evenMore].length === 0 &&
    [...(before ?? '?'), ...behind].every(isSpace) &&
    isSpace(inside[0]) &&
    isSpace(inside.at(-1));
  refuseUnless(wellMade, 'invalid_public_key');
  const text = [...inside].filter((character) => !isSpace(character)).join('');
  const der = base64(text, 'invalid_public_key', 44).toString('hex');
  refuseUnless(der.startsWith(publicStart[kind]), 'invalid_public_key');
  const raw = der.slice(24);
  const point = kind === 'sign' ? number(raw) % 2n ** 255n : number(raw);
  refuseUnless(point < prime && !weak[kind].includes(point), 'invalid_public_key');
  return Buffer.from(raw, 'hex');
}

export function parsePems({ sign, encrypt }: PemKeys): RawKeys {
  return { sign: parsePem('sign', sign), encrypt: parsePem('encrypt', encrypt) };
}

export function agentPairs(keys: { sign: string; encrypt: string }): Pairs {
  return {
    sign: privateKey('sign', base64(keys.sign, 'invalid_input', 32)),
    encrypt: privateKey('encrypt', base64(keys.encrypt, 'invalid_input', 32)),
  };
}

export function expertPairs(root: string, requestId: string): Pairs {
  const derive = (...info: string[]) => hkdf(Buffer.from(root, 'hex'), '', tuple(...info));
  return {
    sign: privateKey('sign', derive('expert-relay/v4/expert-sign')),
    encrypt: privateKey('encrypt', derive('expert-relay/v4/expert-dh', requestId)),
  };
}

export function pemsOf({ sign, encrypt }: Pairs): PemKeys {
  return { sign: pemOf(sign), encrypt: pemOf(encrypt) };
}

export function rawOf({ sign, encrypt }: Pairs): RawKeys {
  const raw = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(12);
  return { sign: raw(sign), encrypt: raw(encrypt) };
}

export function refuseOwn(own: RawKeys, peer: RawKeys): void {
  refuseUnless(!own.sign.equals(peer.sign) && !own.encrypt.equals(peer.encrypt), 'invalid_public_key');
}

/** `undefined` members count as empty ones; of the messages the last ten. */
export function digestSubmission(asked: {
  question?: string;
  plaintext?: string;
  messages: { role: string; content: string }[];
}): Buffer {
  const kept = asked.messages.slice(Math.max(0, asked.messages.length - 10));
  const members = [asked.question ?? '', asked.plaintext ?? ''];
  for (const { role, content } of kept) members.push(role, content);
  for (const member of members) refuseUnless(Buffer.from(member).toString() === member, 'invalid_input');
  return sha('sha256', tuple('expert-relay/v4/submission', ...members));
}

const exchanged = (requestId: string, consumer: RawKeys, provider: RawKeys, submission: Buffer) =>
  tuple(
    'expert-relay/v4/key-exchange',
    requestId,
    consumer.sign,
    consumer.encrypt,
    provider.sign,
    provider.encrypt,
    submission,
  );

export function signExchange(
  root: string,
  requestId: string,
  consumer: PemKeys,
  submissionHex: string,
): string {
  const pairs = expertPairs(root, requestId);
  const submission = Buffer.from(submissionHex, 'hex');
  const signed = exchanged(requestId, parsePems(consumer), rawOf(pairs), submission);
  return Buffer.concat([submission, sign(null, signed, pairs.sign)]).toString('base64');
}

export function fingerprintOf(identity: Buffer): string {
  const digest = sha('sha512', tuple('expert-relay/v4/fingerprint', identity));
  return [0, 5, 10, 15, 20, 25, 30, 35]
    .map((at) => `${digest.readUIntBE(at, 5) % 100_000}`.padStart(5, '0'))
    .join(' ');
}

export function readFingerprint(typed: string): string {
  const groups = typed.replace(/[^0-9]/g, '').match(/\d{1,5}/g) ?? [];
  refuseUnless(groups.length === 8 && groups[7]?.length === 5, 'invalid_input');
  return groups.join(' ');
}

export function checkExchange(input: {
  requestId: string;
  own: PemKeys;
  submission: string;
  exchange: {
    providerSignPubKey: string;
    providerEncryptPubKey: string;
    keySignature?: string | null | undefined;
  };
  known?: string;
}): { fingerprint: string; verified: string } {
  const { requestId, exchange, known } = input;
  const own = parsePems(input.own);
  const provider = parsePems({ sign: exchange.providerSignPubKey, encrypt: exchange.providerEncryptPubKey });
  refuseOwn(own, provider);
  const fingerprint = fingerprintOf(provider.sign);
  if (known !== undefined) refuseUnless(readFingerprint(known) === fingerprint, 'unknown_expert');
  if (exchange.keySignature === undefined || exchange.keySignature === null) {
    refuseUnless(known === undefined, 'key_signature_missing');
    return { fingerprint, verified: 'unverified' };
  }
  const proof = base64(exchange.keySignature, 'key_signature_wrong', 96);
  const submission = proof.subarray(0, 32);
  const signed = exchanged(requestId, own, provider, submission);
  refuseUnless(verified(provider.sign, signed, proof.subarray(32)), 'key_signature_wrong');
  refuseUnless(submission.toString('hex') === input.submission, 'question_altered');
  return { fingerprint, verified: known === undefined ? 'first-contact' : 'known' };
}

export function checkUnchanged(first: PemKeys, later: PemKeys | null): void {
  if (later === null) throw new Refusal('keys_changed');
  const [before, now] = [parsePems(first), parsePems(later)];
  refuseUnless(before.sign.equals(now.sign) && before.encrypt.equals(now.encrypt), 'keys_changed');
}

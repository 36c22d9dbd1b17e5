import { fromBase64 } from '../crypto/base64.ts';
import { type Bytes, fromUtf8, toUtf8, tuple } from '../crypto/bytes.ts';
import type { Role } from '../crypto/key-exchange.ts';
import { isMessageId } from '../crypto/message.ts';
import { RelayError, type RelayErrorReason } from '../relay-error.ts';
import { isObject, parseJson } from '../transport/shape.ts';

export const receiptFormat = 'expert-relay/v4/receipt';

/** A message as a receipt has it. Bytes are in base64. */
export interface ReceiptMessage {
  readonly ciphertext: string;
  readonly iv: string;
  /** Opens this message and no other one. */
  readonly key?: string;
  readonly messageId: string;
  readonly role: Role;
  readonly signature: string;
  readonly tag: string;
}

/** The texts of the submit. An absent one is empty. */
export interface ReceiptQuestion {
  readonly agentName: string;
  readonly agentVersions: string;
  /** JSON text. */
  readonly answerForm: string;
  readonly messages: readonly { readonly content: string; readonly role: string }[];
  readonly plaintext: string;
  readonly question: string;
}

/** A receipt before it is signed: docs/receipts.md. Keys are their 32 bytes in base64. */
export interface UnsignedReceipt {
  readonly asked: ReceiptQuestion;
  readonly askedAt?: string | undefined;
  readonly consumerEncryptPubKey: string;
  readonly consumerSignPubKey: string;
  readonly fingerprint: string;
  readonly format: typeof receiptFormat;
  readonly keySignature: string;
  readonly madeAt: string;
  readonly messages: readonly ReceiptMessage[];
  readonly openingKey?: string | undefined;
  readonly outcome: 'accept' | 'decline';
  readonly providerEncryptPubKey: string;
  readonly providerSignPubKey: string;
  readonly refCode: string;
  readonly requestId: string;
}

export interface ReceiptFile extends UnsignedReceipt {
  /** Of the agent, over all the rest. */
  readonly signature: string;
}

export const refused = (reason: RelayErrorReason, why: string): RelayError =>
  new RelayError(reason, `The receipt is refused: ${why}`);

/** Texts, lists and objects as RFC 8785 writes them. Members that are undefined are left out. */
export function writeCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${writeCanonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/** What the agent signs. */
export const signedReceipt = (receipt: UnsignedReceipt): Bytes =>
  tuple(receiptFormat, writeCanonical({ ...receipt, signature: undefined }));

/** @throws RelayError `malformed_receipt`, `receipt_not_canonical` */
export function readReceiptFile(receipt: string | Uint8Array): ReceiptFile {
  const text = typeof receipt === 'string' ? receipt : fromUtf8(receipt);
  const file = text === undefined ? undefined : parseJson(text);
  if (!isReceipt(file)) throw refused('malformed_receipt', 'this is no receipt that this version can read.');
  if (writeCanonical(file) !== text)
    throw refused(
      'receipt_not_canonical',
      'the file was written in another way than a receipt is. A mail program or an editor may have changed it.',
    );
  return file as ReceiptFile;
}

type Check = (value: unknown) => boolean;

/** A lone surrogate has no bytes in UTF-8. */
const isText: Check = (value) => typeof value === 'string' && !/\p{Surrogate}/u.test(value);
const isTime: Check = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
const isOneOf =
  (...texts: readonly string[]): Check =>
  (value) =>
    texts.some((text) => text === value);
const isBytes =
  (length?: number): Check =>
  (value) => {
    const bytes = typeof value === 'string' ? fromBase64(value) : undefined;
    return bytes !== undefined && (length === undefined || bytes.length === length);
  };
const isListOf =
  (check: Check, most = Infinity): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(check);
const hasMembers =
  (needed: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check =>
  (value) =>
    isObject(value) &&
    Object.entries(needed).every(([name, check]) => Object.hasOwn(value, name) && check(value[name])) &&
    Object.keys(value).every(
      (name) =>
        Object.hasOwn(needed, name) || (Object.hasOwn(optional, name) && optional[name]?.(value[name])),
    );

/** The number of messages that the relay keeps of a submit. More would not be part of what the expert signs. */
const mostMessages = 10;

const isReceipt = hasMembers(
  {
    asked: hasMembers({
      agentName: isText,
      agentVersions: isText,
      answerForm: isText,
      messages: isListOf(hasMembers({ content: isText, role: isText }), mostMessages),
      plaintext: isText,
      question: isText,
    }),
    consumerEncryptPubKey: isBytes(32),
    consumerSignPubKey: isBytes(32),
    fingerprint: isText,
    format: isOneOf(receiptFormat),
    keySignature: isBytes(),
    madeAt: isTime,
    messages: isListOf(
      hasMembers(
        {
          ciphertext: isBytes(),
          iv: isBytes(12),
          messageId: isMessageId,
          role: isOneOf('consumer', 'provider'),
          signature: isBytes(64),
          tag: isBytes(16),
        },
        { key: isBytes(32) },
      ),
    ),
    outcome: isOneOf('accept', 'decline'),
    providerEncryptPubKey: isBytes(32),
    providerSignPubKey: isBytes(32),
    refCode: isText,
    requestId: isText,
    signature: isBytes(64),
  },
  { askedAt: isTime, openingKey: isBytes(32) },
);

/** Bytes of a member that was checked. */
export const bytesOf = (base64: string): Bytes => fromBase64(base64) ?? toUtf8('');

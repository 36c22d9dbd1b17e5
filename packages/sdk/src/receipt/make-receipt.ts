import type { AgentKeys } from '../crypto/agent-keys.ts';
import { toBase64 } from '../crypto/base64.ts';
import type { Bytes } from '../crypto/bytes.ts';
import { formatFingerprint } from '../crypto/fingerprint.ts';
import { digestConversation, type PublicKeys } from '../crypto/key-exchange.ts';
import type { MessageRecord } from '../crypto/message.ts';
import { openMessageKeys } from './message-keys.ts';
import {
  type ReceiptMessage,
  type ReceiptQuestion,
  receiptFormat,
  signedReceipt,
  type UnsignedReceipt,
  writeCanonical,
} from './receipt-file.ts';

/** What a receipt is made of. All of it was checked. */
export interface ReceiptMaterial {
  readonly requestId: string;
  readonly refCode: string;
  readonly own: AgentKeys;
  readonly peer: PublicKeys;
  readonly keySignature: string;
  readonly submissionDigest: Bytes;
  readonly asked: ReceiptQuestion;
  /** The deciding message, behind all that it links to, directly or through others. */
  readonly records: readonly MessageRecord[];
  /** The ids of those that the receipt opens, if it does not open all. */
  readonly opened: ReadonlySet<string>;
  /** The private agreement key of the agent, which opens all. */
  readonly openingKey?: string | undefined;
  readonly outcome: 'accept' | 'decline';
  /** When the agent had sealed its newest message before the decision, by its clock. */
  readonly askedAt?: Date | undefined;
  readonly madeAt: Date;
}

/** The text of a receipt, which the agent signs. */
export async function makeReceipt(material: ReceiptMaterial): Promise<string> {
  const { requestId, refCode, own, peer, keySignature, submissionDigest, asked, records, opened } = material;
  const { openingKey, outcome, askedAt, madeAt } = material;
  const keys = { consumer: { sign: own.signPublic, encrypt: own.encryptPublic }, provider: peer };
  const conversation = await digestConversation(requestId, keys, submissionDigest, keySignature);
  const keyOf = await openMessageKeys(await own.agree(peer.encrypt), conversation);

  async function withKey({ role, messageId, encrypted, signature }: MessageRecord): Promise<ReceiptMessage> {
    const { iv, ciphertext, tag } = encrypted;
    const message = { ciphertext, iv, messageId, role, signature, tag };
    const isOpened = openingKey === undefined && opened.has(messageId);
    return isOpened ? { ...message, key: toBase64(await keyOf(role, messageId)) } : message;
  }

  const receipt: UnsignedReceipt = {
    asked,
    askedAt: askedAt?.toISOString(),
    consumerEncryptPubKey: toBase64(own.encryptPublic.raw),
    consumerSignPubKey: toBase64(own.signPublic.raw),
    fingerprint: await formatFingerprint(peer.sign),
    format: receiptFormat,
    keySignature,
    madeAt: madeAt.toISOString(),
    messages: await Promise.all(records.map(withKey)),
    openingKey,
    outcome,
    providerEncryptPubKey: toBase64(peer.encrypt.raw),
    providerSignPubKey: toBase64(peer.sign.raw),
    refCode,
    requestId,
  };
  return writeCanonical({ ...receipt, signature: toBase64(await own.sign(signedReceipt(receipt))) });
}

import { toBase64 } from '../crypto/base64.ts';
import { type Bytes, concat, equalBytes, sha256, tuple } from '../crypto/bytes.ts';
import { readFrame } from '../crypto/frame.ts';
import { type ConversationKeys, digestConversation } from '../crypto/key-exchange.ts';
import { signedBytes } from '../crypto/message.ts';
import { agreeWith, openKeyPair } from '../crypto/own-keys.ts';
import { type ReadParts, readParts } from '../crypto/parts.ts';
import { isSignedBy } from '../crypto/verify-signature.ts';
import { type MessageKeys, openMessageKeys } from './message-keys.ts';
import { bytesOf, type ReceiptFile, type ReceiptMessage, refused } from './receipt-file.ts';

/** A message of a receipt whose signature was checked. */
export interface CheckedMessage {
  readonly message: ReceiptMessage;
  /** By which later messages link to it, in base64. */
  readonly hash: string;
  /** Undefined for one that the receipt does not open. */
  readonly content?: OpenedContent | undefined;
}

export interface OpenedContent {
  readonly links: readonly string[];
  readonly text: string;
  readonly parts: ReadParts;
}

/**
 * Checks all messages in their order, and opens those for which there is a key.
 *
 * @throws RelayError `malformed_receipt`, `wrong_signature`, `undecryptable`, `malformed_frame`, `message_missing`
 */
export async function openMessages(
  file: ReceiptFile,
  keys: ConversationKeys,
  submissionDigest: Bytes,
): Promise<readonly CheckedMessage[]> {
  const { requestId, keySignature, messages } = file;
  const conversation = await digestConversation(requestId, keys, submissionDigest, keySignature);
  const derive = await readOpeningKey(file, keys, conversation);
  const checked: CheckedMessage[] = [];
  const before = new Set<string>();
  for (const message of messages) {
    const { role, messageId } = message;
    const sender = keys[role];
    const bytes = {
      ...{ role, messageId, ephemeralPublicKey: sender.encrypt.raw },
      ...{ iv: bytesOf(message.iv), ciphertext: bytesOf(message.ciphertext), tag: bytesOf(message.tag) },
    };
    const signed = signedBytes(tuple('expert-relay/v4/message', conversation, role), bytes);
    if (!(await isSignedBy(sender.sign, bytesOf(message.signature), signed)))
      throw refused('wrong_signature', 'a message is not signed by its sender.');
    const key = derive ? await derive(role, messageId) : message.key && bytesOf(message.key);
    const content = key ? await open(message, key) : undefined;
    if (content?.links.some((link) => !before.has(link)))
      throw refused('message_missing', 'a message that comes before another one is not in the file.');
    const hash = toBase64(await sha256(signed));
    if (before.has(hash)) throw refused('malformed_receipt', 'it has a message twice.');
    before.add(hash);
    checked.push({ message, hash, content });
  }
  return checked;
}

async function readOpeningKey(
  { openingKey, messages }: ReceiptFile,
  keys: ConversationKeys,
  conversation: Bytes,
): Promise<MessageKeys | undefined> {
  if (openingKey === undefined) return undefined;
  if (messages.some(({ key }) => key !== undefined))
    throw refused('malformed_receipt', 'it has one key for all messages, and keys of single ones.');
  const agreement = await openKeyPair('encrypt', bytesOf(openingKey));
  // With another key, what the messages say would be the agent's choice.
  if (!equalBytes(agreement.publicKey, keys.consumer.encrypt.raw))
    throw refused('undecryptable', 'the key that opens the messages is not that of this agent.');
  return await openMessageKeys(await agreeWith(agreement, keys.provider.encrypt), conversation);
}

async function open(message: ReceiptMessage, key: Bytes): Promise<OpenedContent> {
  const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  const sealed = concat(bytesOf(message.ciphertext), bytesOf(message.tag));
  const plain = await crypto.subtle
    .decrypt({ name: 'AES-GCM', iv: bytesOf(message.iv) }, cipher, sealed)
    .catch(() => undefined);
  if (!plain) throw refused('undecryptable', 'a message does not open with the key that is given for it.');
  const malformed = () => refused('malformed_frame', 'what a message contains cannot be read.');
  try {
    const { links, text, parts } = readFrame(new Uint8Array(plain));
    // Without links it is of a client that says nothing about what came before.
    if (!links) throw malformed();
    return { links: links.map(toBase64), text, parts: readParts(parts, message.role) };
  } catch {
    throw malformed();
  }
}

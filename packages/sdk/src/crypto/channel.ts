import { invalidInput } from '../relay-error.ts';
import { toBase64 } from './base64.ts';
import { type Bytes, concat, equalBytes, randomBytes as random, sha256, toUtf8, tuple } from './bytes.ts';
import { type Part, readFrame, writeFrame } from './frame.ts';
import { type ChannelState, openHistory } from './history.ts';
import { deriveAesKey, importSecret } from './hkdf.ts';
import { digestConversation, type PublicKeys, type Role, refuseOwnKeys } from './key-exchange.ts';
import {
  isMessageId,
  type MessageBytes,
  type MessageRecord,
  readMessage,
  type SealedMessage,
  signedBytes,
  writeMessage,
} from './message.ts';
import type { OwnKeys } from './own-keys.ts';
import { checkParts, readParts } from './parts.ts';
import { createQueue } from './queue.ts';
import { undecryptable, unsequencedRefused, wrongRole, wrongSenderKey, wrongSignature } from './refusal.ts';
import { importVerifier, verifySignature } from './verify-signature.ts';

/**
 * What a conversation is opened with.
 *
 * @example
 * const options: ChannelOptions = { requestId, role: 'consumer', own: keys, peer, submission };
 * const channel = await openChannel(options);
 */
export interface ChannelOptions {
  /** The request whose conversation it is. */
  readonly requestId: string;
  /** The side of this device. */
  readonly role: Role;
  /** The private keys of this side. */
  readonly own: OwnKeys;
  /** The public keys of the other side, after they were checked. */
  readonly peer: PublicKeys;
  /** The digest of the question: `digestSubmission`. */
  readonly submission: Bytes;
  /** That of the exchange, after it was checked. Absent when the expert's client signs no keys. */
  readonly keySignature?: string | null | undefined;
  /** Whether an agent accepts messages of clients that do not link them. Default false; an expert always accepts them. */
  readonly acceptUnprotected?: boolean | undefined;
  /** The state that this device saved, if it continues. */
  readonly state?: ChannelState | undefined;
  /** The source of random bytes. Tests replace it to get the same bytes again. */
  readonly randomBytes?: ((length: number) => Bytes) | undefined;
}

/** A message that was decrypted and passed all checks. */
export interface OpenedMessage {
  /** The hash of this message, by which later ones link to it, in base64. With it, `shown` of {@link SealOptions} names the message. */
  readonly hash: string;
  /** May be empty if there are parts. */
  readonly text: string;
  /** `readParts` gives those whose meaning is known. */
  readonly parts: readonly Part[];
  /** `unsequenced`: written by a client that does not link its messages, so earlier ones may be missing unnoticed. */
  readonly protection: 'sequenced' | 'unsequenced';
  /**
   * For a message of the other side: whether its sender had seen the last message of this side. Undefined for
   * `unsequenced` messages.
   */
  readonly seenYourLast?: boolean | undefined;
}

/** What goes with a text that is encrypted. */
export interface SealOptions<T extends SealedMessage | null = SealedMessage> {
  /** A UUID. Default: a new one. */
  readonly messageId?: string | undefined;
  /** As `writeParts` makes them. */
  readonly parts?: readonly Part[] | undefined;
  /**
   * The hashes of the messages that had been shown to the sender when the text was written, or only the `endsOf` these.
   * The message links to them, and to those that were encrypted here. Default: every message that was opened.
   */
  readonly shown?: readonly string[] | undefined;
  readonly claim?: Claim<T> | undefined;
}

/**
 * One conversation as one device sees it. Calls run one after another, in the order in which they are made.
 *
 * @example
 * const message = await channel.seal('Is it safe to drop this index?');
 * await save(channel.state());
 */
export interface Channel {
  /**
   * Encrypts a message. Send each message once and in this order, and repeat it only unchanged. If `claim` returns
   * another message with this id, that one is to be sent, and this one is forgotten; after null none is sent.
   */
  seal<T extends SealedMessage | null = SealedMessage>(
    text: string,
    options?: SealOptions<T>,
  ): Promise<SealedMessage | T>;
  /**
   * The short form of what was shown, to be saved with a text that waits: of these messages and all that they link to,
   * those to which no other of them links.
   */
  endsOf(shown: readonly string[]): readonly string[];
  /** Decrypts a message of either side. Open every message of the list once, in its order. */
  open(record: MessageRecord): Promise<OpenedMessage>;
  /** Decrypts a message without noting it: whether another one before it is missing is not checked. */
  peek(record: MessageRecord): Promise<Pick<OpenedMessage, 'text' | 'parts'>>;
  /** Starts to decrypt a message and returns the function that opens it, so that messages are decrypted in parallel. */
  begin(record: MessageRecord): () => Promise<OpenedMessage>;
  /** Forgets the last message that was encrypted here and is not listed: the next one does not link to it. False if a listed one does. */
  forgetLast(): boolean;
  /** The state from which `openChannel` continues. Save it before a message is sent. */
  state(): ChannelState;
}

/** Returns the message to send: this one, or the one that another device encrypted with this id. Null if it must no longer be sent. */
export type Claim<T extends SealedMessage | null = SealedMessage | null> = (
  sealed: SealedMessage,
) => Promise<T>;

const tagLength = 16;

/**
 * Opens a conversation, in which messages are encrypted and decrypted.
 *
 * @example
 * const channel = await openChannel({ requestId, role: 'consumer', own: keys, peer, submission, keySignature });
 * const message = await channel.seal('Is it safe to drop this index?');
 * const { text } = await channel.open(record);
 */
export async function openChannel(options: ChannelOptions): Promise<Channel> {
  const { requestId, role, own, peer, submission: submissionDigest } = options;
  const { keySignature, randomBytes = random } = options;
  const self = { sign: own.signPublic, encrypt: own.encryptPublic };
  refuseOwnKeys(self, peer);
  const keys = role === 'consumer' ? { consumer: self, provider: peer } : { consumer: peer, provider: self };
  const acceptsUnsequenced = role === 'provider' || options.acceptUnprotected === true;
  const conversation = await digestConversation(requestId, keys, submissionDigest, keySignature);
  const openSender = async (sender: Role) => ({
    verifier: await importVerifier(keys[sender].sign),
    info: tuple('expert-relay/v4/message-key', conversation, sender),
    start: tuple('expert-relay/v4/message', conversation, sender),
  });
  const [secret, consumer, provider] = await Promise.all([
    own.agree(peer.encrypt).then(importSecret),
    openSender('consumer'),
    openSender('provider'),
  ]);
  const senders = { consumer, provider };
  const messageKey = (sender: Role, messageId: string) =>
    deriveAesKey(secret, toUtf8(messageId), senders[sender].info);
  const history = openHistory(options.state);
  const queue = createQueue();

  async function seal<T extends SealedMessage | null>(
    text: Bytes,
    messageId: string,
    options: SealOptions<T>,
  ): Promise<SealedMessage | T> {
    const { shown, parts = [], claim } = options;
    checkParts(parts, role);
    const links = history.links(shown);
    const frame = writeFrame(links, text, parts);
    const iv = randomBytes(12);
    const key = await messageKey(role, messageId);
    const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, frame));
    const message: MessageBytes = {
      messageId,
      role,
      iv,
      ciphertext: sealed.subarray(0, -tagLength),
      tag: sealed.subarray(-tagLength),
      ephemeralPublicKey: self.encrypt.raw,
    };
    const signed = signedBytes(senders[message.role].start, message);
    const [signature, hash] = await Promise.all([own.sign(signed), sha256(signed)]);
    const written = writeMessage(message, signature);
    const claimed = claim ? await claim(written) : written;
    if (claimed === written) history.seal(hash, links);
    return claimed;
  }

  async function decrypt(record: MessageRecord) {
    const { message, signature } = readMessage(record);
    const other = message.role === 'consumer' ? keys.provider : keys.consumer;
    if (!equalBytes(message.ephemeralPublicKey, keys[message.role].encrypt.raw)) {
      throw equalBytes(message.ephemeralPublicKey, other.encrypt.raw) ? wrongRole() : wrongSenderKey();
    }
    const signed = signedBytes(senders[message.role].start, message);
    const [verified, hash, key] = await Promise.all([
      verifySignature(senders[message.role].verifier, signature, signed),
      sha256(signed),
      messageKey(message.role, message.messageId),
    ]);
    if (!verified) throw wrongSignature();
    const { iv, ciphertext, tag } = message;
    const plain = await crypto.subtle
      .decrypt({ name: 'AES-GCM', iv }, key, concat(ciphertext, tag))
      .catch(() => undefined);
    if (!plain) throw undecryptable();
    const frame = readFrame(new Uint8Array(plain));
    readParts(frame.parts, message.role);
    if (!frame.links && !acceptsUnsequenced) throw unsequencedRefused();
    return { ...frame, hash, isOwn: message.role === role };
  }

  function begin(record: MessageRecord): () => Promise<OpenedMessage> {
    const decrypting = decrypt(record);
    // The error is reported when the message is opened.
    decrypting.catch(() => {});
    return () => queue(async () => accept(await decrypting));
  }

  function accept({ links, hash, isOwn, ...content }: Awaited<ReturnType<typeof decrypt>>): OpenedMessage {
    const seenYourLast = history.accept(hash, links ?? [], isOwn);
    const opened = { hash: toBase64(hash), ...content };
    if (!links) return { ...opened, protection: 'unsequenced' };
    return { ...opened, protection: 'sequenced', ...(!isOwn && { seenYourLast }) };
  }

  return {
    async seal(text, options = {}) {
      const { messageId = crypto.randomUUID() } = options;
      if (!isMessageId(messageId)) {
        throw invalidInput('Give a UUID as `messageId`, or leave it out.');
      }
      const bytes = toUtf8(text);
      return await queue(() => seal(bytes, messageId, options));
    },
    endsOf: history.endsOf,
    forgetLast: history.forgetLast,
    open: (record) => begin(record)(),
    async peek(record) {
      const { text, parts } = await decrypt(record);
      return { text, parts };
    },
    begin,
    state: () => history.state(),
  };
}

import { invalidInput } from '../../relay-error.ts';
import { type Bytes, concat, equalBytes, randomBytes as random } from '../bytes/bytes.ts';
import { sha256 } from '../bytes/sha256.ts';
import { tuple } from '../bytes/tuple.ts';
import { toUtf8 } from '../bytes/utf8.ts';
import { refuseOwnKeys } from '../exchange/check-exchange.ts';
import { inOrder, type PublicKeys, type Role } from '../exchange/conversation-keys.ts';
import { importVerifier, verifySignature } from '../exchange/verify-signature.ts';
import { deriveAesKey, importSecret } from '../keys/hkdf.ts';
import type { OwnKeys } from '../keys/own-keys.ts';
import { readFrame, writeFrame } from './frame.ts';
import { type ChannelState, openHistory } from './history.ts';
import { inTurn } from './in-turn.ts';
import {
  isMessageId,
  type Message,
  type MessageRecord,
  readMessage,
  type SealedMessage,
  signedBytes,
  writeMessage,
} from './message.ts';
import { undecryptable, wrongRole, wrongSenderKey, wrongSignature } from './refusals.ts';

export interface ChannelOptions {
  readonly requestId: string;
  /** Which side this is. */
  readonly role: Role;
  readonly own: OwnKeys;
  readonly peer: PublicKeys;
  /** Where this device was when it stopped. */
  readonly state?: ChannelState | undefined;
  /** The source of chance, for tests that want the same bytes again. */
  readonly randomBytes?: ((length: number) => Bytes) | undefined;
}

export interface OpenedMessage {
  readonly text: string;
  /** `unsequenced`: a plain client wrote it, so nothing tells whether messages before it are missing. */
  readonly protection: 'sequenced' | 'unsequenced';
  /**
   * Of a message of the other side: whether its sender had seen the last message of this side. Undefined when it is
   * `unsequenced`, which tells nothing about that.
   */
  readonly seenYourLast?: boolean | undefined;
}

/** One conversation as one device sees it. Calls are done one after another, in the order they are made. */
export interface Channel {
  /**
   * A message to send, exactly once and in this order; sent again, it is this one as it is. With `claim`, another
   * message with this id may go out instead: the one that `claim` gives. Then nothing was sealed here.
   */
  seal(text: string, messageId?: string, claim?: Claim): Promise<SealedMessage>;
  /** The text of a message of either side. Open every message of the list, in its order, once. */
  open(record: MessageRecord): Promise<OpenedMessage>;
  /** Begins to decrypt a message. What it returns opens it: many are decrypted at the same time, opened in order. */
  begin(record: MessageRecord): () => Promise<OpenedMessage>;
  /** What to keep, so that `openChannel` goes on from here: save it before a sealed message goes out. */
  state(): ChannelState;
}

/** Gives the message that goes out: this one, or the one that another device has sealed with this id. */
export type Claim = (sealed: SealedMessage) => Promise<SealedMessage>;

const tagLength = 16;

/**
 * @example
 * const channel = await openChannel({ requestId, role: 'consumer', own: keys, peer: exchange });
 * const message = await channel.seal('Is it safe to drop this index?');
 * const { text } = await channel.open(record);
 */
export async function openChannel(options: ChannelOptions): Promise<Channel> {
  const { requestId, role, own, peer, randomBytes = random } = options;
  const self = { sign: own.signPublic, encrypt: own.encryptPublic };
  refuseOwnKeys(self, peer);
  const keys = role === 'consumer' ? { consumer: self, provider: peer } : { consumer: peer, provider: self };
  const openSender = async (sender: Role) => ({
    verifier: await importVerifier(keys[sender].sign),
    info: tuple('expert-relay/v4/message-key', requestId, sender, ...inOrder(keys)),
    start: tuple('expert-relay/v4/message', requestId, sender),
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
  const queue = inTurn();

  async function seal(text: Bytes, messageId: string, claim: Claim | undefined): Promise<SealedMessage> {
    const links = history.links();
    const frame = writeFrame(links, text);
    const iv = randomBytes(12);
    const key = await messageKey(role, messageId);
    const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, frame));
    const message: Message = {
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
    return { ...readFrame(new Uint8Array(plain)), hash, isOwn: message.role === role };
  }

  function begin(record: MessageRecord): () => Promise<OpenedMessage> {
    const decrypting = decrypt(record);
    // Whoever opens it gets the error.
    decrypting.catch(() => {});
    return () => queue(async () => accept(await decrypting));
  }

  function accept({ links, text, hash, isOwn }: Awaited<ReturnType<typeof decrypt>>): OpenedMessage {
    const seenYourLast = history.accept(hash, links ?? [], isOwn);
    if (!links) return { text, protection: 'unsequenced' };
    return { text, protection: 'sequenced', ...(!isOwn && { seenYourLast }) };
  }

  return {
    async seal(text, messageId = crypto.randomUUID(), claim) {
      if (!isMessageId(messageId)) {
        throw invalidInput('Give a UUID as `messageId`, or leave it out.');
      }
      const bytes = toUtf8(text);
      return await queue(() => seal(bytes, messageId, claim));
    },
    open: (record) => begin(record)(),
    begin,
    state: () => history.state(),
  };
}

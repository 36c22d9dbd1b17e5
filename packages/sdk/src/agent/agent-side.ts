import type { AgentKeys } from '../crypto/agent-keys.ts';
import { toBase64 } from '../crypto/base64.ts';
import type { Bytes } from '../crypto/bytes.ts';
import { type Channel, openChannel } from '../crypto/channel.ts';
import { formatFingerprint, sameFingerprint } from '../crypto/fingerprint.ts';
import type { ChannelState } from '../crypto/history.ts';
import {
  type CheckedExchange,
  checkExchange,
  checkUnchanged,
  keysChanged,
  questionAltered,
} from '../crypto/key-exchange.ts';
import { parsePublicKey } from '../crypto/public-key.ts';
import type { Head, Pair } from '../thread/page.ts';
import type { OpenForm, Side } from '../thread/side.ts';
import type { AcceptedExchange } from './conversation-state.ts';
import type { KnownExperts } from './known-experts.ts';

export interface AgentSideOptions {
  readonly requestId: string;
  readonly refCode: string;
  readonly keys: AgentKeys | undefined;
  readonly submissionDigest: Bytes;
  /** The form of the question, as JSON text. */
  readonly answerForm: string | undefined;
  readonly experts: KnownExperts;
  /** Whether plain text, unsigned keys and messages without links are accepted. */
  readonly acceptUnprotected: boolean;
  /** Whether the question is confidential: it is never sent to unsigned keys. */
  readonly isConfidential?: boolean | undefined;
  readonly check?: Side['check'] | undefined;
  /** Whether the messages of this side are returned, too. */
  readonly showsOwn?: boolean | undefined;
}

/** The agent's side of a conversation: it checks the expert's keys before it uses them. */
export class AgentSide implements Side {
  readonly role = 'consumer';
  readonly hasDevices = false;
  readonly isForCaller = ({ role }: { role: string }) =>
    role === 'provider' || this.#options.showsOwn === true;
  readonly check: Side['check'];
  isWithdrawn = false;
  readonly #options: AgentSideOptions;
  #channel: Channel | undefined;
  #peer: CheckedExchange | undefined;
  #exchange: AcceptedExchange | undefined;
  #isPickedUp = false;

  constructor(options: AgentSideOptions) {
    this.#options = options;
    this.check = options.check;
  }

  get agentSentKeys(): boolean {
    return this.#options.keys !== undefined;
  }
  get acceptUnprotected(): boolean {
    return this.#options.acceptUnprotected;
  }
  get isSigned(): boolean {
    return this.#exchange?.fingerprint !== undefined;
  }
  get form(): OpenForm | undefined {
    const { submissionDigest, answerForm } = this.#options;
    return answerForm === undefined ? undefined : { of: toBase64(submissionDigest), text: answerForm };
  }
  get exchange(): AcceptedExchange | undefined {
    return this.#exchange;
  }
  get isPickedUp(): boolean {
    return this.#isPickedUp || this.#exchange !== undefined;
  }

  /** The relay reports a pick-up. The keys are checked when the list is read. */
  notePickUp(): void {
    this.#isPickedUp = true;
  }

  /** Continues with keys that were accepted earlier, unless the options do not allow them any more. */
  async restore(exchange: AcceptedExchange, state: ChannelState | undefined): Promise<Channel> {
    const { fingerprint } = exchange;
    const known = this.#options.experts.given ?? (fingerprint === undefined ? [] : [fingerprint]);
    return await this.#accept(exchange, await this.#check(exchange, known), state);
  }

  /** The same side, to read the whole list again, with its own messages. `note` gets each record that is accepted. */
  async again(
    note: AgentSideOptions['check'],
  ): Promise<{ readonly side: AgentSide; readonly channel: Channel | undefined }> {
    const check: Side['check'] = (message, record) => {
      this.check?.(message, record);
      note?.(message, record);
    };
    const side = new AgentSide({ ...this.#options, check, showsOwn: true });
    return { side, channel: this.#exchange && (await side.restore(this.#exchange, undefined)) };
  }

  async checkKeys(head: Head): Promise<Channel | undefined> {
    const { refCode, keys, experts } = this.#options;
    if (!keys) return undefined;
    const { providerKeys, keySignature } = head;
    checkUnchanged({ sign: keys.signPublic, encrypt: keys.encryptPublic }, head.consumerKeys);
    if (this.#peer) {
      checkUnchanged(this.#peer, providerKeys);
      if (keySignature !== this.#exchange?.keySignature) throw keysChanged();
    }
    // Where the keys have changed, too, that comes first.
    if (head.refCode !== refCode) throw questionAltered();
    if (this.#channel || !providerKeys) return this.#channel;
    const identity = await formatFingerprint(parsePublicKey(providerKeys.sign, 'sign'));
    const { known, rememberExpert } = await experts.lookUp(identity);
    const checked = await this.#check({ ...providerKeys, keySignature }, known);
    const { verification } = checked;
    const fingerprint = verification === 'unverified' ? undefined : checked.fingerprint;
    if (fingerprint !== undefined) await rememberExpert();
    return await this.#accept({ ...providerKeys, keySignature, fingerprint, verification }, checked);
  }

  /** Whether this is the expert's fingerprint. If it is, the expert is known from now on. */
  verify(fingerprint: string): boolean {
    const exchange = this.#exchange;
    if (exchange?.fingerprint === undefined || !sameFingerprint(exchange.fingerprint, fingerprint))
      return false;
    this.#exchange = { ...exchange, verification: 'known' };
    // When the store fails, the next first contact remembers the expert.
    this.#options.experts.trust(exchange.fingerprint).catch(() => {});
    return true;
  }

  async #check(
    { sign, encrypt, keySignature }: Pair & { readonly keySignature?: string | undefined },
    known: readonly string[],
  ): Promise<CheckedExchange> {
    const { requestId, keys, submissionDigest, acceptUnprotected, isConfidential } = this.#options;
    const { signPublic, encryptPublic } = keys as AgentKeys;
    return await checkExchange({
      requestId,
      own: { sign: signPublic, encrypt: encryptPublic },
      exchange: { providerSignPubKey: sign, providerEncryptPubKey: encrypt, keySignature },
      submission: submissionDigest,
      known,
      acceptUnprotected: acceptUnprotected && !isConfidential,
    });
  }

  async #accept(exchange: AcceptedExchange, peer: CheckedExchange, state?: ChannelState): Promise<Channel> {
    const { requestId, keys, submissionDigest, acceptUnprotected } = this.#options;
    const { keySignature } = exchange;
    const own = keys as AgentKeys;
    const channel = await openChannel({
      requestId,
      role: this.role,
      own,
      peer,
      submission: submissionDigest,
      keySignature,
      acceptUnprotected,
      state,
    });
    this.#peer = peer;
    this.#exchange = exchange;
    this.#channel = channel;
    return channel;
  }
}

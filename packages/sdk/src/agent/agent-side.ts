import type { Bytes } from '../crypto/bytes.ts';
import {
  type AgentKeys,
  type Channel,
  type ChannelState,
  checkExchange,
  checkUnchanged,
  openChannel,
  type PublicKeys,
  parsePublicKey,
  sameFingerprint,
} from '../crypto/index.ts';
import { keysChanged, unknownExpert } from '../crypto/key-exchange.ts';
import type { Head } from '../thread/page.ts';
import type { Side } from '../thread/thread.ts';
import type { AcceptedExchange } from './conversation-state.ts';

/** The expert that this agent knows, from its options or from the memory. */
export interface KnownExpert {
  /** The fingerprint of the `expert` option. */
  readonly given: string | undefined;
  /** The fingerprint in the memory. */
  recall(): Promise<string | undefined>;
  /** Remembers this one unless there is one already, and returns the remembered one. */
  meet(fingerprint: string): Promise<string>;
  /** Replaces the remembered one by one that was verified. */
  trust(fingerprint: string): Promise<void>;
}

export interface AgentSideOptions {
  readonly requestId: string;
  readonly keys: AgentKeys | undefined;
  /** The digest of the question; undefined for plain text. */
  readonly submission: Bytes | undefined;
  readonly expert: KnownExpert;
  readonly acceptsPlaintext: boolean;
}

/** The agent's side of a conversation: it checks the expert's keys before it uses them. */
export class AgentSide implements Side {
  readonly role = 'consumer';
  readonly isShown = ({ role }: { role: string }) => role === 'provider';
  readonly #options: AgentSideOptions;
  #peer: PublicKeys | undefined;
  #channel: Channel | undefined;
  #exchange: AcceptedExchange | undefined;

  constructor(options: AgentSideOptions) {
    this.#options = options;
  }

  /** An agent that knows its expert refuses plain text, unless the agent itself asked without keys. */
  async acceptsPlaintext(): Promise<boolean> {
    const { acceptsPlaintext, keys, expert } = this.#options;
    if (acceptsPlaintext || expert.given !== undefined) return acceptsPlaintext;
    return keys === undefined || (await expert.recall()) === undefined;
  }

  get exchange(): AcceptedExchange | undefined {
    return this.#exchange;
  }

  /** Continues with keys that were accepted earlier. */
  async restore(exchange: AcceptedExchange, state: ChannelState | undefined): Promise<Channel> {
    const { given } = this.#options.expert;
    const { fingerprint, sign, encrypt } = exchange;
    if (given !== undefined && (fingerprint === undefined || !sameFingerprint(given, fingerprint))) {
      throw unknownExpert([given], fingerprint);
    }
    const peer = { sign: parsePublicKey(sign, 'sign'), encrypt: parsePublicKey(encrypt, 'encrypt') };
    return await this.#accept(exchange, peer, state);
  }

  async agree(head: Head): Promise<Channel | undefined> {
    const { requestId, keys, submission, expert } = this.#options;
    if (!keys || !submission) return undefined;
    const own = { sign: keys.signPublic, encrypt: keys.encryptPublic };
    const { providerKeys, keySignature } = head;
    checkUnchanged(own, head.consumerKeys);
    if (this.#peer && this.#channel) {
      checkUnchanged(this.#peer, providerKeys);
      if (keySignature !== this.#exchange?.keySignature) throw keysChanged();
      return this.#channel;
    }
    if (!providerKeys) return undefined;
    const exchange = {
      providerSignPubKey: providerKeys.sign,
      providerEncryptPubKey: providerKeys.encrypt,
      keySignature,
    };
    const known = expert.given ?? (await expert.recall());
    const checked = await checkExchange({
      requestId,
      own,
      exchange,
      submission,
      known: known === undefined ? [] : [known],
      acceptUnprotected: true,
    });
    const { verified: verification } = checked;
    const fingerprint = verification === 'unverified' ? undefined : checked.fingerprint;
    if (verification === 'first-contact') {
      // If another conversation has stored an expert in the meantime, that one counts.
      const met = await expert.meet(checked.fingerprint);
      if (!sameFingerprint(met, checked.fingerprint)) throw unknownExpert([met], checked.fingerprint);
    }
    return await this.#accept({ ...providerKeys, keySignature, fingerprint, verification }, checked);
  }

  /** Whether this is the expert's fingerprint. If it is, the expert is known from now on. */
  verify(fingerprint: string): boolean {
    const exchange = this.#exchange;
    if (exchange?.fingerprint === undefined || !sameFingerprint(exchange.fingerprint, fingerprint))
      return false;
    this.#exchange = { ...exchange, verification: 'known' };
    // When the memory fails, the next first contact remembers the expert.
    this.#options.expert.trust(exchange.fingerprint).catch(() => {});
    return true;
  }

  async #accept(exchange: AcceptedExchange, peer: PublicKeys, state?: ChannelState): Promise<Channel> {
    const { requestId, keys, submission } = this.#options;
    const channel = await openChannel({
      requestId,
      role: this.role,
      own: keys as AgentKeys,
      peer,
      submission: submission as Bytes,
      keySignature: exchange.keySignature,
      acceptUnprotected: true,
      state,
    });
    this.#peer = peer;
    this.#exchange = exchange;
    this.#channel = channel;
    return channel;
  }
}

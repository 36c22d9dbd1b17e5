import { unknownExpert } from '../crypto/exchange/check-exchange.ts';
import { keysChanged } from '../crypto/exchange/check-unchanged.ts';
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
import type { Head } from '../thread/page.ts';
import type { Side } from '../thread/thread.ts';
import type { AcceptedExchange } from './conversation-state.ts';

/** Which expert is known, beyond this conversation. */
export interface KnownExpert {
  /** The one that must be there, if it was said. */
  readonly given: string | undefined;
  recall(): Promise<string | undefined>;
  remember(fingerprint: string): Promise<void>;
}

/** The agent's side of a conversation: it looks at the expert's keys before it believes them. */
export class AgentSide implements Side {
  readonly role = 'consumer';
  readonly isShown = ({ role }: { role: string }) => role === 'provider';
  readonly #requestId: string;
  readonly #keys: AgentKeys | undefined;
  readonly #expert: KnownExpert;
  #peer: PublicKeys | undefined;
  #channel: Channel | undefined;
  #exchange: AcceptedExchange | undefined;

  constructor(options: { requestId: string; keys: AgentKeys | undefined; expert: KnownExpert }) {
    this.#requestId = options.requestId;
    this.#keys = options.keys;
    this.#expert = options.expert;
  }

  get takesPlaintext(): boolean {
    return this.#expert.given === undefined;
  }

  get exchange(): AcceptedExchange | undefined {
    return this.#exchange;
  }

  /** Goes on with keys that were accepted earlier. */
  async restore(exchange: AcceptedExchange, state: ChannelState | undefined): Promise<Channel> {
    const { given } = this.#expert;
    const { fingerprint, sign, encrypt } = exchange;
    if (given !== undefined && (fingerprint === undefined || !sameFingerprint(given, fingerprint))) {
      throw unknownExpert(given, fingerprint);
    }
    const peer = { sign: parsePublicKey(sign, 'sign'), encrypt: parsePublicKey(encrypt, 'encrypt') };
    return await this.#accept(exchange, peer, state);
  }

  async agree(head: Head): Promise<Channel | undefined> {
    const own = this.#keys && { sign: this.#keys.signPublic, encrypt: this.#keys.encryptPublic };
    if (!own) return undefined;
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
    const known = this.#expert.given ?? (await this.#expert.recall());
    const checked = await checkExchange({ requestId: this.#requestId, own, exchange, known });
    const { verified: verification } = checked;
    const fingerprint = verification === 'unverified' ? undefined : checked.fingerprint;
    if (verification === 'first-contact') await this.#expert.remember(checked.fingerprint);
    return await this.#accept({ ...providerKeys, keySignature, fingerprint, verification }, checked);
  }

  /** Whether the expert's fingerprint is this one, which makes the expert known from now on. */
  verify(fingerprint: string): boolean {
    const exchange = this.#exchange;
    if (exchange?.fingerprint === undefined || !sameFingerprint(exchange.fingerprint, fingerprint))
      return false;
    this.#exchange = { ...exchange, verification: 'known' };
    // What cannot be remembered now is remembered with the next first contact.
    this.#expert.remember(exchange.fingerprint).catch(() => {});
    return true;
  }

  async #accept(exchange: AcceptedExchange, peer: PublicKeys, state?: ChannelState): Promise<Channel> {
    const own = this.#keys as AgentKeys;
    const channel = await openChannel({ requestId: this.#requestId, role: this.role, own, peer, state });
    this.#peer = peer;
    this.#exchange = exchange;
    this.#channel = channel;
    return channel;
  }
}

import type { Bytes } from '../crypto/bytes/bytes.ts';
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
  /** The one that is remembered. */
  recall(): Promise<string | undefined>;
  /** Remembers the first that is met, and gives that one. */
  meet(fingerprint: string): Promise<string>;
  /** Remembers one that was verified, whoever was met before. */
  trust(fingerprint: string): Promise<void>;
}

export interface AgentSideOptions {
  readonly requestId: string;
  readonly keys: AgentKeys | undefined;
  /** What was asked; undefined for plain text. */
  readonly submission: Bytes | undefined;
  readonly expert: KnownExpert;
  readonly acceptsPlaintext: boolean;
}

/** The agent's side of a conversation: it looks at the expert's keys before it believes them. */
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

  /** An agent that knows its expert takes none, unless it asked without keys itself. */
  async takesPlaintext(): Promise<boolean> {
    const { acceptsPlaintext, keys, expert } = this.#options;
    if (acceptsPlaintext || expert.given !== undefined) return acceptsPlaintext;
    return keys === undefined || (await expert.recall()) === undefined;
  }

  get exchange(): AcceptedExchange | undefined {
    return this.#exchange;
  }

  /** Goes on with keys that were accepted earlier. */
  async restore(exchange: AcceptedExchange, state: ChannelState | undefined): Promise<Channel> {
    const { given } = this.#options.expert;
    const { fingerprint, sign, encrypt } = exchange;
    if (given !== undefined && (fingerprint === undefined || !sameFingerprint(given, fingerprint))) {
      throw unknownExpert(given, fingerprint);
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
    const checked = await checkExchange({ requestId, own, exchange, submission, known });
    const { verified: verification } = checked;
    const fingerprint = verification === 'unverified' ? undefined : checked.fingerprint;
    if (verification === 'first-contact') {
      // Another conversation may have met an expert meanwhile: that one counts.
      const met = await expert.meet(checked.fingerprint);
      if (!sameFingerprint(met, checked.fingerprint)) throw unknownExpert(met, checked.fingerprint);
    }
    return await this.#accept({ ...providerKeys, keySignature, fingerprint, verification }, checked);
  }

  /** Whether the expert's fingerprint is this one, which makes the expert known from now on. */
  verify(fingerprint: string): boolean {
    const exchange = this.#exchange;
    if (exchange?.fingerprint === undefined || !sameFingerprint(exchange.fingerprint, fingerprint))
      return false;
    this.#exchange = { ...exchange, verification: 'known' };
    // What cannot be remembered now is remembered with the next first contact.
    this.#options.expert.trust(exchange.fingerprint).catch(() => {});
    return true;
  }

  async #accept(exchange: AcceptedExchange, peer: PublicKeys, state?: ChannelState): Promise<Channel> {
    const { requestId, keys } = this.#options;
    const own = keys as AgentKeys;
    const channel = await openChannel({ requestId, role: this.role, own, peer, state });
    this.#peer = peer;
    this.#exchange = exchange;
    this.#channel = channel;
    return channel;
  }
}

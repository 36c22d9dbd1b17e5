import { CurrentCounts, type Limit, limitsOfCredential, limitsOfNetwork } from '../authorise/limits.ts';
import type { Credential } from '../authorise/stream-token.ts';

/** How many streams may be open at once; 0 = no cap, except for `streams`. */
export interface Caps {
  readonly streams: number;
  readonly perAddress: number;
  readonly perCredential: number;
  readonly perUser: number;
  readonly anonymous: number;
}

/** The client that a stream is counted for. */
export interface StreamClient {
  readonly network: string;
  readonly credential: Pick<Credential, 'id' | 'userId'> | undefined;
}

export type CapName = 'streams' | 'anonymous' | Limit['kind'];

/** Counts open streams against the caps. */
export class StreamCaps {
  readonly #caps: Caps;
  #all = 0;
  #anonymous = 0;
  readonly #counts = new CurrentCounts();

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  get open(): { all: number; anonymous: number } {
    return { all: this.#all, anonymous: this.#anonymous };
  }

  /** The cap that one more stream would exceed. */
  reached(client: StreamClient): CapName | undefined {
    const isAnonymous = client.credential === undefined;
    return (
      this.reachedBeforeCheck(client.network, isAnonymous) ??
      this.#counts.reached(this.#limitsOf(client))?.kind
    );
  }

  /** The same before the credential is checked. */
  reachedBeforeCheck(network: string, isAnonymous: boolean): CapName | undefined {
    const { streams, anonymous } = this.#caps;
    if (this.#all >= streams) return 'streams';
    const reached = this.#counts.reached(this.#limitsOf({ network, credential: undefined }));
    if (reached) return reached.kind;
    return isAnonymous && anonymous > 0 && this.#anonymous >= anonymous ? 'anonymous' : undefined;
  }

  add(client: StreamClient): void {
    this.#all++;
    if (!client.credential) this.#anonymous++;
    this.#counts.add(this.#limitsOf(client));
  }

  remove(client: StreamClient): void {
    this.#all--;
    if (!client.credential) this.#anonymous--;
    this.#counts.remove(this.#limitsOf(client));
  }

  #limitsOf({ network, credential }: StreamClient): readonly Limit[] {
    const byNetwork = limitsOfNetwork(network, this.#caps.perAddress);
    return credential ? [...byNetwork, ...limitsOfCredential(credential, this.#caps)] : byNetwork;
  }
}

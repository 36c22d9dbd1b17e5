/** How many streams may be open at once; 0 = as many as come, but for the whole process. */
export interface Caps {
  readonly streams: number;
  readonly perAddress: number;
  readonly perCredential: number;
  readonly anonymous: number;
}

/** What is counted of a stream. */
export interface Holder {
  /** The client's address, or the network that stands for it. */
  readonly network: string;
  readonly credential: { readonly id: string } | undefined;
}

export type CapName = 'streams' | 'address' | 'credential' | 'anonymous';

/** Counts open streams against the caps. */
export class StreamCaps {
  readonly #caps: Caps;
  #all = 0;
  #anonymous = 0;
  readonly #byAddress = new Map<string, number>();
  readonly #byCredential = new Map<string, number>();

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  get open(): { all: number; anonymous: number } {
    return { all: this.#all, anonymous: this.#anonymous };
  }

  /** The cap that one more stream would break. */
  reached(holder: Holder): CapName | undefined {
    const { credential } = holder;
    const reached = this.reachedBefore(holder.network, credential === undefined);
    if (reached !== undefined || !credential) return reached;
    const count = this.#byCredential.get(credential.id);
    return isFull(this.#caps.perCredential, count) ? 'credential' : undefined;
  }

  /** The same as far as it is known before a credential is checked. */
  reachedBefore(network: string, isAnonymous: boolean): CapName | undefined {
    const { streams, perAddress, anonymous } = this.#caps;
    if (this.#all >= streams) return 'streams';
    if (isFull(perAddress, this.#byAddress.get(network))) return 'address';
    return isAnonymous && isFull(anonymous, this.#anonymous) ? 'anonymous' : undefined;
  }

  add(holder: Holder): void {
    this.#count(holder, 1);
  }

  remove(holder: Holder): void {
    this.#count(holder, -1);
  }

  #count({ network, credential }: Holder, change: 1 | -1): void {
    this.#all += change;
    if (!credential) this.#anonymous += change;
    else count(this.#byCredential, credential.id, change);
    count(this.#byAddress, network, change);
  }
}

const isFull = (cap: number, count = 0): boolean => cap > 0 && count >= cap;

function count(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + change;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

/** How many streams may be open at once; 0 = no cap, except for `streams`. */
export interface Caps {
  readonly streams: number;
  readonly perAddress: number;
  readonly perCredential: number;
  readonly anonymous: number;
}

/** The client that a stream is counted for. */
export interface Holder {
  /** The client's address, or the network that it is counted by. */
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

  /** The cap that one more stream would exceed. */
  reached(holder: Holder): CapName | undefined {
    const { credential } = holder;
    const reached = this.reachedBeforeCheck(holder.network, credential === undefined);
    if (reached !== undefined || !credential) return reached;
    const open = this.#byCredential.get(credential.id);
    return isFull(this.#caps.perCredential, open) ? 'credential' : undefined;
  }

  /** The same before the credential is checked. */
  reachedBeforeCheck(network: string, isAnonymous: boolean): CapName | undefined {
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
  const newCount = (counts.get(key) ?? 0) + change;
  if (newCount === 0) counts.delete(key);
  else counts.set(key, newCount);
}

import { sameFingerprint } from '../crypto/fingerprint.ts';
import { unknownExpert } from '../crypto/key-exchange.ts';
import { refusal } from '../crypto/refusal.ts';
import { listIn, type Values } from '../store.ts';

export interface KnownExpertsOptions {
  /** The fingerprints of the `expert` option. */
  readonly given: readonly string[] | undefined;
  /** Whether a key that knows no expert yet accepts one that no other key of this store knows. */
  readonly acceptsNew: boolean;
  /** The part of the store that belongs to the relay's address. */
  readonly here: Values;
  /** The part that belongs to the API key. */
  readonly keyValues: Values;
}

/** What is known of an expert before the signature of its keys is checked. */
interface Lookup {
  /** The fingerprints of which these keys must have one. None: any expert may come. */
  readonly known: readonly string[];
  /** Remembers the expert once the signature was checked. @throws RelayError `unknown_expert`, `new_expert` */
  rememberExpert(): Promise<void>;
}

/**
 * The experts that an agent knows: those of its options, or the one that is stored for its API key. A key that has
 * none may be a rotated one: then the experts of all other keys at this relay's address count. An expert of the options
 * that has signed is remembered.
 */
export class KnownExperts {
  readonly given: readonly string[] | undefined;
  readonly #acceptsNew: boolean;
  readonly #keyValues: Values;
  readonly #expertsHere: ReturnType<typeof listIn>;

  constructor({ given, acceptsNew, here, keyValues }: KnownExpertsOptions) {
    this.given = given;
    this.#acceptsNew = acceptsNew;
    this.#keyValues = keyValues;
    this.#expertsHere = listIn(here, 'expert');
  }

  async lookUp(fingerprint: string): Promise<Lookup> {
    const isThis = (expert: string) => sameFingerprint(expert, fingerprint);
    const own = await this.#keyValues.get('expert');
    if (this.given) {
      // The option replaces the remembered expert.
      const isKnown = own !== undefined && isThis(own);
      return {
        known: this.given,
        rememberExpert: async () => (isKnown ? undefined : this.trust(fingerprint)),
      };
    }
    if (own !== undefined) return { known: [own], async rememberExpert() {} };
    const others = await this.#expertsHere.all();
    const known = others.filter(isThis);
    const rememberExpert = async () => {
      if (others.length > 0 && !this.#acceptsNew && known.length === 0) throw newExpert(fingerprint);
      // If another conversation has stored an expert in the meantime, that one counts.
      const first = await this.#keyValues.remember('expert', fingerprint);
      if (!isThis(first)) throw unknownExpert([first], fingerprint);
      await this.#expertsHere.add(fingerprint);
    };
    return { known, rememberExpert };
  }

  /** Replaces the remembered expert by one that was verified. */
  async trust(fingerprint: string): Promise<void> {
    await this.#keyValues.set('expert', fingerprint);
    await this.#expertsHere.add(fingerprint);
  }
}

const newExpert = (fingerprint: string) =>
  refusal(
    'new_expert',
    `This API key knows no expert yet, and other keys at this relay know others than ${fingerprint}. Nothing was sent to them.`,
    "Compare this fingerprint with your expert's, over another channel. If it is theirs, give it as `expert` once.",
  );

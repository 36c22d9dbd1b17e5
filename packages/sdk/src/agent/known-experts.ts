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
export interface Recall {
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
export interface KnownExperts {
  readonly given: readonly string[] | undefined;
  recall(fingerprint: string): Promise<Recall>;
  /** Replaces the remembered expert by one that was verified. */
  trust(fingerprint: string): Promise<void>;
}

export function createKnownExperts(options: KnownExpertsOptions): KnownExperts {
  const { given, acceptsNew, here, keyValues } = options;
  const expertsHere = listIn(here, 'expert');

  async function trust(fingerprint: string): Promise<void> {
    await keyValues.set('expert', fingerprint);
    await expertsHere.add(fingerprint);
  }

  return {
    given,
    trust,
    async recall(fingerprint) {
      const isThis = (expert: string) => sameFingerprint(expert, fingerprint);
      const own = await keyValues.get('expert');
      // The option replaces the remembered expert.
      const rememberGiven = async () => (own !== undefined && isThis(own) ? undefined : trust(fingerprint));
      if (given) return { known: given, rememberExpert: rememberGiven };
      const others = own === undefined ? await expertsHere.all() : [];
      return {
        known: own === undefined ? others.filter(isThis) : [own],
        async rememberExpert() {
          if (own !== undefined) return;
          if (others.length > 0 && !acceptsNew && !others.some(isThis)) throw newExpert(fingerprint);
          // If another conversation has stored an expert in the meantime, that one counts.
          const first = await keyValues.remember('expert', fingerprint);
          if (!sameFingerprint(first, fingerprint)) throw unknownExpert([first], fingerprint);
          await expertsHere.add(fingerprint);
        },
      };
    },
  };
}

const newExpert = (fingerprint: string) =>
  refusal(
    'new_expert',
    `This API key knows no expert yet, and other keys at this relay know others than ${fingerprint}. Nothing was sent to them.`,
    "Compare this fingerprint with your expert's, over another channel. If it is theirs, give it as `expert` once.",
  );

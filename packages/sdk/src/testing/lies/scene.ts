import type { Json } from '@expert-relay/testkit';

/** What a liar has at hand. */
export interface Scene {
  readonly gatewayUrl: string;
  /** Public keys of an attacker, as PEM. */
  readonly foreign: { readonly sign: string; readonly encrypt: string };
  /** What each side said in another conversation of the same two: all of `texts`. */
  readonly elsewhere: Readonly<Record<'consumer' | 'provider', readonly Json[]>>;
  /** That conversation's request. */
  readonly elsewhereId: string;
}

/** What is said, on either side. */
export const texts: readonly string[] = ['one', 'two', 'three'];

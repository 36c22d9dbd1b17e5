import {
  allowInsecureRequests,
  type Configuration,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import type { Identity } from './identity.ts';

export type ProviderName = 'github' | 'google';

export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** A service that people sign in with: what differs between GitHub and Google. */
export interface Provider {
  readonly name: ProviderName;
  /** As people know it. */
  readonly title: string;
  readonly scope: string;
  /** Whether it answers with an ID token, which is bound to the sign-in by a nonce. */
  readonly isOpenId: boolean;
  /** Rejects while the provider cannot be asked for its addresses. */
  configuration(): Promise<Configuration>;
  readIdentity(configuration: Configuration, tokens: Tokens): Promise<Identity>;
}

/** Seconds for each call of a provider. */
export const providerTimeout = 5;

/**
 * What lets a configuration use plain http where an address says so: `config.ts` accepts that for loopback addresses
 * alone, which tests and trials on one machine have.
 */
export const plainHttpFor = (...addresses: readonly string[]): ((configuration: Configuration) => void)[] =>
  addresses.some((address) => address.startsWith('http:')) ? [allowInsecureRequests] : [];

import {
  allowInsecureRequests,
  type Configuration,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import type { Identity, ProviderName } from './identity.ts';

export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/**
 * A service that people sign in with. It must redirect back with `GET`: there is no route for a `POST` (`response_mode=form_post`), which
 * the browser would send without our cookies. CONTRIBUTING.md lists what else a new one needs.
 */
export interface Provider {
  readonly name: ProviderName;
  /** Its name for people. */
  readonly title: string;
  readonly scope: string;
  /** Whether it responds with an ID token, which is bound to the sign-in by a nonce. */
  readonly isOpenId: boolean;
  /** Whether it accepts `prompt=select_account` without stating which prompts it supports. */
  readonly knowsSelectAccount: boolean;
  /** Rejects while the provider cannot be reached. */
  configuration(): Promise<Configuration>;
  /** Another configuration to try after the provider has refused our secret, if there is one. Later sign-ins use it, too. */
  afterRefusedSecret?(refused: Configuration): Configuration | undefined;
  readIdentity(configuration: Configuration, tokens: Tokens): Promise<Identity>;
  /** The address that signs a person out at the provider, too. Undefined where it has none. */
  endSessionUrl?(returnTo: string, idToken: string | undefined): Promise<URL | undefined>;
}

/** How long a call of a provider may take, in seconds. */
export const providerTimeout = 5;

/**
 * Functions that allow a configuration to use plain http, if one of the addresses does. `config.ts` accepts that only for
 * loopback addresses, for tests on one machine.
 */
export const plainHttpFor = (...addresses: readonly string[]): ((configuration: Configuration) => void)[] =>
  addresses.some((address) => address.startsWith('http:')) ? [allowInsecureRequests] : [];

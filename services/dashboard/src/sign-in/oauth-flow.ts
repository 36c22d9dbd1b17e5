import type { Request, Response } from 'express';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { type CookieSettings, createSignedCookie } from '../cookies/signed-cookie.ts';
import { SignInFailure } from './failure.ts';
import type { Identity, ProviderName } from './identity.ts';
import type { Provider } from './provider.ts';

/** The result of a sign-in at a provider. */
interface FinishedSignIn {
  readonly identity: Identity;
  /** With it, the provider signs the same person out. */
  readonly idToken?: string;
  /** The session to whose user the identity is added. Absent when somebody signs in. */
  readonly addToSessionId?: string;
}

export interface BeginOptions {
  /** The session to whose user the account is added. */
  readonly addToSessionId?: string;
  /** Whether the person wants to choose another account than the one of the last sign-in. */
  readonly otherAccount?: boolean;
}

/** The sign-in at one provider by an authorization code with PKCE. A cookie binds it to the browser. */
export interface OAuthFlow {
  readonly provider: Provider;
  /** Returns the address at the provider to which the browser is redirected. */
  begin(response: Response, options?: BeginOptions): Promise<URL>;
  finish(request: Request, response: Response): Promise<FinishedSignIn>;
}

/** A sign-in that was started. Only the browser stores it. That it was finished is noted for ten minutes (`UseOnce`). */
interface PendingSignIn {
  readonly provider: ProviderName;
  readonly state: string;
  readonly verifier: string;
  readonly nonce?: string;
  readonly addToSessionId?: string;
}

export const pendingSignInMs = 10 * 60_000;
/** A longer ID token is not kept: it would not fit into the address that signs a person out. */
const maxTokenLength = 2_500;

/** Marks the state of a sign-in as used. False if it was used before. */
export type UseOnce = (state: string) => Promise<boolean>;

export function createOAuthFlow(
  provider: Provider,
  options: { publicUrl: string; cookies: CookieSettings; useOnce: UseOnce },
): OAuthFlow {
  const redirectUri = new URL(`/auth/${provider.name}/callback`, options.publicUrl);
  const cookie = createSignedCookie<PendingSignIn>({
    ...options.cookies,
    name: 'relay_sign_in',
    maxAgeMs: pendingSignInMs,
  });

  return {
    provider,

    async begin(response, { addToSessionId, otherAccount = false } = {}) {
      const configuration = await provider.configuration().catch(providerFailed);
      const pending: PendingSignIn = {
        provider: provider.name,
        state: randomState(),
        verifier: randomPKCECodeVerifier(),
        ...(provider.isOpenId && { nonce: randomNonce() }),
        ...(addToSessionId !== undefined && { addToSessionId }),
      };
      cookie.set(response, pending);
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri.href,
        scope: provider.scope,
        state: pending.state,
        code_challenge: await calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        ...(pending.nonce !== undefined && { nonce: pending.nonce }),
        ...promptFor(provider, configuration, otherAccount),
      });
    },

    async finish(request, response) {
      const pending = cookie.read(request);
      const { searchParams } = new URL(request.originalUrl, redirectUri);
      const isOurs = pending?.provider === provider.name && searchParams.get('state') === pending.state;
      if (!isOurs || !pending.verifier) throw new SignInFailure('expired');
      cookie.clear(response);
      // The browser may keep the cookie. Each use of it would be a call of the provider with our secret.
      if (!(await options.useOnce(pending.state))) throw new SignInFailure('expired');
      if (searchParams.get('error') === 'access_denied') throw new SignInFailure('denied');
      let configuration = await provider.configuration().catch(providerFailed);
      requireCode(searchParams, configuration);
      const callback = new URL(`?${searchParams}`, redirectUri);
      const exchange = () =>
        authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: pending.verifier,
          expectedState: pending.state,
          ...(pending.nonce !== undefined && { expectedNonce: pending.nonce }),
        });
      const tokens = await exchange()
        .catch((error) => {
          const other = isRefusedSecret(error) ? provider.afterRefusedSecret?.(configuration) : undefined;
          if (!other) throw error;
          configuration = other;
          return exchange();
        })
        .catch(tokenEndpointFailed);
      const identity = await provider.readIdentity(configuration, tokens).catch(providerFailed);
      const { id_token: idToken } = tokens;
      const isKept = idToken !== undefined && idToken.length <= maxTokenLength;
      return {
        identity,
        ...(isKept && { idToken }),
        ...(pending.addToSessionId !== undefined && { addToSessionId: pending.addToSessionId }),
      };
    },
  };
}

/**
 * A person whose account was refused must be able to choose another one. A provider may refuse `select_account` if it does not state
 * it; every OpenID provider must support `login`, which asks for a name again.
 */
function promptFor(
  { knowsSelectAccount }: Provider,
  configuration: Configuration,
  otherAccount: boolean,
): { prompt?: string } {
  const { prompt_values_supported: stated } = configuration.serverMetadata();
  const isKnown = Array.isArray(stated) ? stated.includes('select_account') : knowsSelectAccount;
  if (isKnown) return { prompt: 'select_account' };
  return otherAccount ? { prompt: 'login' } : {};
}

function providerFailed(cause: unknown): never {
  throw new SignInFailure('provider_failed', { cause });
}

const callbackParameters = new Set(['code', 'state', 'iss']);

/** What the provider reports in the address of a callback. */
class CallbackError extends Error {
  override readonly name = 'CallbackError';
  /** A code of OAuth, such as `invalid_scope`. */
  readonly error: string | null;

  constructor(message: string, error: string | null) {
    super(message);
    this.error = error;
  }
}

/**
 * Checks the parameters of a callback, and removes those that are not used. Visitors can write them too: an error is logged as one of
 * the provider, once for each sign-in that was begun, and what no provider sends is not.
 */
function requireCode(parameters: URLSearchParams, configuration: Configuration): void {
  const { issuer, authorization_response_iss_parameter_supported: requiresIssuer } =
    configuration.serverMetadata();
  const issuers = parameters.getAll('iss');
  const isIssuerRight = issuers.length === 0 ? !requiresIssuer : issuers.join() === issuer;
  if (parameters.has('error')) {
    providerFailed(new CallbackError('the provider reported an error', parameters.get('error')));
  }
  const hasOneOfEach = ['code', 'state'].every((name) => parameters.getAll(name).length === 1);
  if (!hasOneOfEach || !parameters.get('code')) throw new SignInFailure('expired');
  if (!isIssuerRight) providerFailed(new CallbackError('the callback does not name the issuer', null));
  for (const name of [...parameters.keys()]) if (!callbackParameters.has(name)) parameters.delete(name);
}

/** Some providers respond with the error of OAuth, others with a challenge. */
const isRefusedSecret = (error: unknown): boolean =>
  error instanceof WWWAuthenticateChallengeError || errorCodeOf(error) === 'invalid_client';

function tokenEndpointFailed(error: unknown): never {
  if (usedCode.has(errorCodeOf(error) ?? '')) throw new SignInFailure('expired', { cause: error });
  return providerFailed(error);
}

/** The errors of OAuth and of GitHub for a code that was used before or is too old. */
const usedCode = new Set(['invalid_grant', 'bad_verification_code']);

function errorCodeOf(error: unknown): string | undefined {
  if (error instanceof ResponseBodyError) return error.error;
  // GitHub reports errors with the status 200, which the library reports as a response without a token.
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = (cause as Error).cause) {
    const { body } = cause as { body?: { error?: string } };
    if (body?.error !== undefined) return body.error;
  }
  return undefined;
}

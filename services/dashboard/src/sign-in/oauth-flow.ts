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
} from 'openid-client';
import { type CookieSettings, createSealedCookie } from '../cookies/sealed-cookie.ts';
import { SignInFailure } from './failure.ts';
import type { Identity } from './identity.ts';
import type { Provider, ProviderName } from './provider.ts';

/** A completed visit to a provider. */
export interface FinishedVisit {
  readonly identity: Identity;
  /** The session whose user the identity is to be added to; absent at a sign-in. */
  readonly joins?: string;
}

/** The sign-in at one provider: an authorization code with PKCE, bound to the browser by a cookie. */
export interface OAuthFlow {
  readonly provider: Provider;
  /** Where to send the browser. */
  begin(response: Response, options?: { joins?: string }): Promise<URL>;
  finish(request: Request, response: Response): Promise<FinishedVisit>;
}

/** A visit that has begun. It is kept by the browser alone: visitors without a session cost no memory here. */
interface Visit {
  readonly provider: ProviderName;
  readonly state: string;
  readonly verifier: string;
  readonly nonce?: string;
  readonly joins?: string;
}

const visitLifetimeMs = 10 * 60_000;

export function createOAuthFlow(
  provider: Provider,
  options: { publicUrl: string; cookies: CookieSettings },
): OAuthFlow {
  const redirectUri = new URL(`/auth/${provider.name}/callback`, options.publicUrl);
  const cookie = createSealedCookie<Visit>({
    ...options.cookies,
    name: 'relay_sign_in',
    maxAgeMs: visitLifetimeMs,
  });

  return {
    provider,

    async begin(response, { joins } = {}) {
      const configuration = await provider.configuration().catch(providerFailed);
      const visit: Visit = {
        provider: provider.name,
        state: randomState(),
        verifier: randomPKCECodeVerifier(),
        ...(provider.isOpenId && { nonce: randomNonce() }),
        ...(joins !== undefined && { joins }),
      };
      cookie.set(response, visit);
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri.href,
        scope: provider.scope,
        state: visit.state,
        code_challenge: await calculatePKCECodeChallenge(visit.verifier),
        code_challenge_method: 'S256',
        ...(visit.nonce !== undefined && { nonce: visit.nonce }),
        // A person whose account was refused must be able to choose another one.
        prompt: 'select_account',
      });
    },

    async finish(request, response) {
      const visit = cookie.read(request);
      const { searchParams } = new URL(request.originalUrl, redirectUri);
      const isOurs = visit?.provider === provider.name && searchParams.get('state') === visit.state;
      if (!isOurs || !visit.verifier) throw new SignInFailure('expired');
      cookie.clear(response);
      if (searchParams.get('error') === 'access_denied') throw new SignInFailure('denied');
      const configuration = await provider.configuration().catch(providerFailed);
      requireCode(searchParams, configuration);
      const callback = new URL(`?${searchParams}`, redirectUri);
      const tokens = await authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier: visit.verifier,
        expectedState: visit.state,
        ...(visit.nonce !== undefined && { expectedNonce: visit.nonce }),
      }).catch(refused);
      const identity = await provider.readIdentity(configuration, tokens).catch(providerFailed);
      return { identity, ...(visit.joins !== undefined && { joins: visit.joins }) };
    },
  };
}

function providerFailed(cause: unknown): never {
  throw new SignInFailure('provider_failed', { cause });
}

const callbackParameters = new Set(['code', 'state', 'iss']);

/**
 * Checks the parameters of a callback, and removes those that are not used. Visitors can write them, so they must not
 * count as a failure of the provider, which is logged.
 */
function requireCode(parameters: URLSearchParams, configuration: Configuration): void {
  const { issuer, authorization_response_iss_parameter_supported: requiresIssuer } =
    configuration.serverMetadata();
  const issuers = parameters.getAll('iss');
  const isIssuerRight = issuers.length === 0 ? !requiresIssuer : issuers.join() === issuer;
  const hasOneOfEach = ['code', 'state'].every((name) => parameters.getAll(name).length === 1);
  if (parameters.has('error') || !hasOneOfEach || !parameters.get('code') || !isIssuerRight) {
    throw new SignInFailure('expired');
  }
  for (const name of [...parameters.keys()]) if (!callbackParameters.has(name)) parameters.delete(name);
}

/** The token endpoint did not accept the code, or did not answer. */
function refused(error: unknown): never {
  if (usedCode.has(errorCodeOf(error) ?? '')) throw new SignInFailure('expired', { cause: error });
  return providerFailed(error);
}

/** A code that was used before or is too old: as OAuth has it, and as GitHub does. */
const usedCode = new Set(['invalid_grant', 'bad_verification_code']);

function errorCodeOf(error: unknown): string | undefined {
  if (error instanceof ResponseBodyError) return error.error;
  // GitHub reports errors with the status 200: to the library that is an answer without a token.
  for (let cause = error; typeof cause === 'object' && cause !== null; cause = (cause as Error).cause) {
    const { body } = cause as { body?: { error?: string } };
    if (body?.error !== undefined) return body.error;
  }
  return undefined;
}

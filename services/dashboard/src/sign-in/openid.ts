import {
  buildEndSessionUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  discovery,
  fetchUserInfo,
  type UserInfoResponse,
} from 'openid-client';
import type { Config } from '../config.ts';
import { parseIdentity } from './identity.ts';
import { type Provider, plainHttpFor, providerTimeout } from './provider.ts';

interface OpenIdSettings {
  readonly name: 'google' | 'oidc';
  readonly title: string;
  readonly scope: string;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly issuer: string | undefined;
  /** The claim with the groups of a person. */
  readonly groupsClaim?: string;
  readonly knowsSelectAccount: boolean;
  /** Whether a sign-out here also ends the session at the provider. */
  readonly signsOutThere: boolean;
}

export const createGoogle = (settings: Config['google']): Provider | undefined =>
  createOpenId({
    name: 'google',
    title: 'Google',
    scope: 'openid email profile',
    knowsSelectAccount: true,
    // People are signed in there to much more than this relay.
    signsOutThere: false,
    ...settings,
  });

/** Any other issuer of OpenID Connect, such as Entra, Okta or Keycloak. */
export const createOidc = (settings: Config['oidc']): Provider | undefined =>
  createOpenId({ name: 'oidc', knowsSelectAccount: false, signsOutThere: true, ...settings });

function createOpenId(settings: OpenIdSettings): Provider | undefined {
  const { name, title, scope, clientId, clientSecret, issuer, groupsClaim } = settings;
  const { knowsSelectAccount, signsOutThere } = settings;
  if (!clientId || !clientSecret || !issuer) return undefined;
  let found: Promise<Configuration> | undefined;
  const alternatives = new WeakMap<Configuration, () => Configuration>();

  /** The issuer may be unreachable while this service starts, so its configuration is read at the first sign-in. */
  function discover(address: string, id: string, secret: string): Promise<Configuration> {
    found ??= discovery(new URL(address), id, undefined, undefined, {
      timeout: providerTimeout,
      execute: plainHttpFor(address),
    })
      .then((configuration) => withSecret(configuration, waysToSend(configuration)[0] ?? ClientSecretBasic))
      .catch((error) => {
        found = undefined;
        throw error;
      });
    return found;

    function withSecret(discovered: Configuration, way: WayToSend): Configuration {
      const configuration = new Configuration(discovered.serverMetadata(), id, undefined, way(secret));
      configuration.timeout = providerTimeout;
      for (const allow of plainHttpFor(address)) allow(configuration);
      const [next] = waysToSend(discovered).filter((other) => other !== way);
      if (next) alternatives.set(configuration, () => withSecret(discovered, next));
      return configuration;
    }
  }

  return {
    name,
    title,
    scope,
    isOpenId: true,
    knowsSelectAccount,
    configuration: () => discover(issuer, clientId, clientSecret),
    afterRefusedSecret(refused) {
      const alternative = alternatives.get(refused)?.();
      if (alternative) found = Promise.resolve(alternative);
      return alternative;
    },
    async readIdentity(configuration, tokens) {
      const token = tokens.claims();
      if (!token) throw new Error('The issuer sent no ID token.');
      // Google puts the address and the name into the ID token, other issuers only into the user info.
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const info: Partial<UserInfoResponse> = hasUserInfo
        ? await fetchUserInfo(configuration, tokens.access_token, token.sub)
        : {};
      // An address and its verification from different sources may be about different addresses.
      const { email, email_verified: isVerified } = 'email' in token ? token : info;
      const verifiedEmail = isVerified === true ? email : undefined;
      return parseIdentity({
        provider: name,
        subject: token.sub,
        name: info.name ?? token.name,
        label: email ?? info.preferred_username ?? token.preferred_username,
        email: verifiedEmail,
        verifiedEmails: [verifiedEmail],
        ...(groupsClaim !== undefined && { groups: token[groupsClaim] ?? info[groupsClaim] }),
      });
    },
    async endSessionUrl(returnTo, idToken) {
      if (!signsOutThere) return undefined;
      const configuration = await discover(issuer, clientId, clientSecret);
      if (!configuration.serverMetadata().end_session_endpoint) return undefined;
      return buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      });
    },
  };
}

type WayToSend = typeof ClientSecretPost;

/**
 * The ways to send the secret that the issuer supports. Some issuers, such as Hydra, state both and accept from a client only the one
 * that it is registered with, so the second is used when the first was refused. The specification's default is the second one.
 */
function waysToSend(configuration: Configuration): WayToSend[] {
  const supported = configuration.serverMetadata().token_endpoint_auth_methods_supported ?? [];
  return [
    ...(supported.includes('client_secret_post') ? [ClientSecretPost] : []),
    ...(supported.includes('client_secret_basic') || supported.length === 0 ? [ClientSecretBasic] : []),
  ];
}

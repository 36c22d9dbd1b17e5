import {
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
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
}

export const createGoogle = (settings: Config['google']): Provider | undefined =>
  createOpenId({ name: 'google', title: 'Google', scope: 'openid email profile', ...settings });

/** Any other issuer of OpenID Connect, such as Entra, Okta or Keycloak. */
export const createOidc = (settings: Config['oidc']): Provider | undefined =>
  createOpenId({ name: 'oidc', ...settings });

function createOpenId(settings: OpenIdSettings): Provider | undefined {
  const { name, title, scope, clientId, clientSecret, issuer, groupsClaim } = settings;
  if (!clientId || !clientSecret || !issuer) return undefined;
  let found: Promise<Configuration> | undefined;

  /** The issuer may be unreachable while this service starts, so its configuration is read at the first sign-in. */
  function discover(address: string, id: string, secret: string): Promise<Configuration> {
    found ??= discovery(new URL(address), id, undefined, clientAuth(secret), {
      timeout: providerTimeout,
      execute: plainHttpFor(address),
    }).catch((error) => {
      found = undefined;
      throw error;
    });
    return found;
  }

  return {
    name,
    title,
    scope,
    isOpenId: true,
    configuration: () => discover(issuer, clientId, clientSecret),
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
      const configuration = await discover(issuer, clientId, clientSecret);
      if (name === 'google' || !configuration.serverMetadata().end_session_endpoint) return undefined;
      return buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      });
    },
  };
}

/** The way of the two that the issuer supports. The specification's default is the second one. */
const clientAuth =
  (secret: string): ClientAuth =>
  (server, ...call) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = supported.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic;
    authenticate(secret)(server, ...call);
  };

import {
  ClientSecretPost,
  type Configuration,
  discovery,
  fetchUserInfo,
  type UserInfoResponse,
} from 'openid-client';
import type { Config } from '../config.ts';
import { parseIdentity } from './identity.ts';
import { type Provider, plainHttpFor, providerTimeout } from './provider.ts';

/** Google, or any other issuer of OpenID Connect. */
export function createGoogle(settings: Config['google']): Provider | undefined {
  const { clientId, clientSecret, issuer } = settings;
  if (!clientId || !clientSecret) return undefined;
  let found: Promise<Configuration> | undefined;

  /** The issuer may be unreachable while this service starts, so its configuration is read at the first sign-in. */
  function discover(id: string, secret: string): Promise<Configuration> {
    found ??= discovery(new URL(issuer), id, undefined, ClientSecretPost(secret), {
      timeout: providerTimeout,
      execute: plainHttpFor(issuer),
    }).catch((error) => {
      found = undefined;
      throw error;
    });
    return found;
  }

  return {
    name: 'google',
    title: 'Google',
    scope: 'openid email profile',
    isOpenId: true,
    configuration: () => discover(clientId, clientSecret),
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
        provider: 'google',
        subject: token.sub,
        name: info.name ?? token.name,
        label: email,
        email: verifiedEmail,
        verifiedEmails: [verifiedEmail],
      });
    },
  };
}

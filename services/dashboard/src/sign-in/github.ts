import { ClientSecretPost, Configuration, fetchProtectedResource } from 'openid-client';
import type { Config } from '../config.ts';
import { type Provider, plainHttpFor, providerTimeout } from './provider.ts';

/** GitHub speaks OAuth 2.0 with PKCE, and says by its API who has signed in. */
export function createGithub(settings: Config['github']): Provider | undefined {
  const { clientId, clientSecret } = settings;
  if (!clientId || !clientSecret) return undefined;
  const url = settings.url.replace(/\/$/, '');
  const apiUrl = (settings.apiUrl ?? defaultApiUrl(url)).replace(/\/$/, '');
  const configuration = new Configuration(
    {
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    undefined,
    ClientSecretPost(clientSecret),
  );
  configuration.timeout = providerTimeout;
  for (const allow of plainHttpFor(url, apiUrl)) allow(configuration);

  return {
    name: 'github',
    title: 'GitHub',
    scope: 'read:user user:email',
    isOpenId: false,
    configuration: async () => configuration,
    async readIdentity(_configuration, { access_token: token }) {
      const [user, emails] = await Promise.all([
        get<GithubUser>(token, '/user'),
        get<readonly GithubEmail[]>(token, '/user/emails'),
      ]);
      if (!Number.isSafeInteger(user.id) || typeof user.login !== 'string' || !Array.isArray(emails)) {
        throw new Error('GitHub did not describe the user.');
      }
      const verified = emails.filter((entry: GithubEmail) => entry.verified === true);
      const email = verified.find(({ primary }) => primary)?.email;
      return {
        provider: 'github',
        subject: String(user.id),
        name: user.name || user.login,
        label: user.login,
        login: user.login,
        ...(email && { email }),
        verifiedEmails: verified.map((entry) => entry.email),
      };
    },
  };

  async function get<T>(token: string, path: string): Promise<T> {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'expert-relay' });
    const answer = await fetchProtectedResource(
      configuration,
      token,
      new URL(apiUrl + path),
      'GET',
      undefined,
      headers,
    );
    if (!answer.ok) throw new Error(`GitHub answered ${answer.status} to ${path}.`);
    return (await answer.json()) as T;
  }
}

const defaultApiUrl = (url: string): string =>
  url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`;

interface GithubUser {
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
}

interface GithubEmail {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
}

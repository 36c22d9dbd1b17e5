import { ClientSecretPost, Configuration, fetchProtectedResource } from 'openid-client';
import * as z from 'zod';
import type { Config } from '../config.ts';
import { parseIdentity } from './identity.ts';
import { type Provider, plainHttpFor, providerTimeout } from './provider.ts';

/** GitHub uses OAuth 2.0 with PKCE. Its API says who has signed in. */
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
    knowsSelectAccount: true,
    configuration: async () => configuration,
    async readIdentity(_configuration, { access_token: token }) {
      const [user, emails] = await Promise.all([
        get(token, '/user', userSchema),
        get(token, '/user/emails', emailsSchema),
      ]);
      const verified = emails.filter((entry) => entry.verified === true);
      return parseIdentity({
        provider: 'github',
        subject: String(user.id),
        name: user.name,
        label: user.login,
        login: user.login,
        email: verified.find(({ primary }) => primary === true)?.email,
        verifiedEmails: verified.map((entry) => entry.email),
      });
    },
  };

  async function get<T>(token: string, path: string, schema: z.ZodType<T>): Promise<T> {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'expert-relay' });
    const response = await fetchProtectedResource(
      configuration,
      token,
      new URL(apiUrl + path),
      'GET',
      undefined,
      headers,
    );
    if (!response.ok) throw new Error(`GitHub responded with ${response.status} to ${path}.`);
    const { success, data } = schema.safeParse(await response.json());
    if (!success) throw new Error(`GitHub's response to ${path} has an unexpected form.`);
    return data;
  }
}

const defaultApiUrl = (url: string): string =>
  url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`;

/** These schemas check only the form. `parseIdentity` checks the texts. */
const userSchema = z.object({ id: z.int(), login: z.string(), name: z.unknown() });

const emailsSchema = z.array(z.object({ email: z.unknown(), primary: z.unknown(), verified: z.unknown() }));

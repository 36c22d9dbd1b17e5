import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../session/call.ts';

/** An account at a provider, such as GitHub, with which the user signs in. */
export interface Identity {
  readonly provider: string;
  readonly label: string | null;
  readonly createdAt: string;
}

interface Identities {
  readonly identities: readonly Identity[];
  /** Providers that can be added. */
  readonly providers: readonly string[];
  /** Their names for people. A dashboard of the previous release does not state them. */
  readonly titles?: Readonly<Record<string, string>>;
}

/** A browser where the user is signed in. */
export interface Session {
  readonly id: string;
  readonly device: string;
  readonly provider: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly current: boolean;
}

export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  staleTime: 0,
  queryFn: async ({ signal }) => (await call<Identities>('/api/identities', { signal })).body,
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  staleTime: 0,
  queryFn: async ({ signal }) =>
    (await call<{ sessions: readonly Session[] }>('/api/sessions', { signal })).body.sessions,
});

/** Opens the page of the provider, which leads back to the settings. */
export async function addIdentity(provider: string): Promise<void> {
  const path = `/api/identities/${encodeURIComponent(provider)}`;
  const { body } = await call<{ location: string }>(path, { method: 'POST' });
  location.assign(body.location);
  // Never resolves: the button stays busy until the page is left.
  await new Promise(() => {});
}

export const removeIdentity = (provider: string) =>
  call(`/api/identities/${encodeURIComponent(provider)}`, { method: 'DELETE' });

export const endSession = (id: string) =>
  call(`/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const endOtherSessions = () => call('/api/sessions', { method: 'DELETE' });

export const endAllSessions = () => call('/api/sessions?all=true', { method: 'DELETE' });

const names: Readonly<Record<string, string>> = {
  github: 'GitHub',
  google: 'Google',
  oidc: 'OpenID',
  link: 'Sign-in link',
  dev: 'Local sign-in',
};

/** Names providers for people. The operator has named the OpenID provider. */
export function useProviderNames(): (provider: string) => string {
  const { titles = {} } = useQuery(identitiesQuery).data ?? {};
  return (provider) => titles[provider] ?? names[provider] ?? provider;
}

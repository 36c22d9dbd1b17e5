import { queryOptions, useQuery } from '@tanstack/react-query';
import type { IdentityList, ProviderPage, SessionList } from '../generated/api.ts';
import { call } from '../relay/call.ts';

/** An account at a provider, such as GitHub, with which the user signs in. */
export type Identity = IdentityList['identities'][number];

/** A browser where the user is signed in. */
export type Session = SessionList['sessions'][number];

export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  staleTime: 0,
  queryFn: async ({ signal }) => (await call<IdentityList>('/api/identities', { signal })).body,
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  staleTime: 0,
  queryFn: async ({ signal }) => (await call<SessionList>('/api/sessions', { signal })).body.sessions,
});

export const addIdentity = (provider: string) => openProvider(provider, '');

/** Signs the same user in again, since adding and removing accounts needs a recent sign-in. */
export const signInAgain = (provider: string) => openProvider(provider, '?again=true');

/** Opens the page of the provider, which leads back to the settings. */
async function openProvider(provider: string, query: string): Promise<void> {
  const path = `/api/identities/${encodeURIComponent(provider)}${query}`;
  const { body } = await call<ProviderPage>(path, { method: 'POST' });
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

import { randomBytes } from 'node:crypto';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import {
  deleteRedisKeys,
  type GithubServer,
  type OpenIdProvider,
  readRedisKeys,
  reservePort,
  startGithubServer,
  startOpenIdProvider,
  testServers,
} from '@expert-relay/testkit';

export interface RelayWithProviders {
  readonly relay: Constellation;
  readonly github: GithubServer;
  readonly google: OpenIdProvider;
  /** The names of the relay's sessions in Redis. */
  sessionKeys(): Promise<string[]>;
  /** Deletes the records of all sessions in Redis. */
  deleteSessionRecords(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both sign-in providers and a relay that uses them. The dev sign-in is off. */
export async function openRelayWithProviders(
  options: { env?: Record<string, string>; publicScheme?: 'http' | 'https'; clock?: { now(): number } } = {},
): Promise<RelayWithProviders> {
  const { env, publicScheme = 'http', clock } = options;
  const publicUrl = `${publicScheme}://127.0.0.1:${await reservePort()}`;
  const github = await startGithubServer({ redirectUri: `${publicUrl}/auth/github/callback` });
  const google = await startOpenIdProvider({ redirectUri: `${publicUrl}/auth/google/callback` });
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const stopProviders = async () => {
    await github.stop();
    await google.stop();
  };
  try {
    const relay = await startConstellation({
      prefix,
      ...(clock && { clock }),
      env: {
        RELAY_PUBLIC_URL: publicUrl,
        RELAY_DEV_LOGIN: 'false',
        RELAY_GITHUB_URL: github.url,
        RELAY_GITHUB_CLIENT_ID: github.clientId,
        RELAY_GITHUB_CLIENT_SECRET: github.clientSecret,
        RELAY_GOOGLE_ISSUER: google.issuer,
        RELAY_GOOGLE_CLIENT_ID: google.clientId,
        RELAY_GOOGLE_CLIENT_SECRET: google.clientSecret,
        RELAY_ALLOWED_USERS: '@example.com',
        RELAY_SUPPORT_CONTACT: 'help@example.com',
        ...env,
      },
    });
    const stop = async () => {
      await relay.stop();
      await stopProviders();
    };
    return {
      deleteSessionRecords: () => deleteRedisKeys(testServers().redisUrl, `${prefix}:session`),
      relay,
      github,
      google,
      async sessionKeys() {
        const keys = await readRedisKeys(testServers().redisUrl, `${prefix}:session*`);
        // The states of sign-ins that were used: they say nothing of a user, and end by themselves.
        return keys.filter((key) => !key.startsWith(`${prefix}:session-states-used:`));
      },
      stop,
    };
  } catch (error) {
    await stopProviders();
    throw error;
  }
}

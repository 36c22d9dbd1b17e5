import type { Config, ProfileName } from '../config.ts';
import { Failure } from '../failure.ts';
import { isProfileName, openProfiles } from '../store/profiles.ts';

/** For the commands of both sides. */
export const profileOption = {
  value: 'agent|expert',
  help: 'which profile of `relay login` counts, where both are stored',
} as const;

/**
 * The settings with those of the first of these profiles that is stored. The environment wins: where it has an address or a key, no
 * profile counts, so that no key is sent to an address that it was not stored with.
 */
export async function withProfile(
  config: Config,
  names: readonly ProfileName[],
  wanted?: string,
): Promise<Config> {
  if (config.wrong) return config;
  try {
    if (wanted !== undefined && !isProfileName(wanted))
      throw new Failure('usage', `--profile is "${wanted}". It must be agent or expert.`);
    if (config.url ?? config.apiKey) {
      if (wanted === undefined) return config;
      throw new Failure(
        'usage',
        'RELAY_URL or RELAY_API_KEY is set, and wins over each profile. Unset both for --profile.',
      );
    }
    const profiles = openProfiles(config.folder);
    for (const name of wanted === undefined ? names : [wanted]) {
      const profile = await profiles.read(name);
      if (!profile) continue;
      const { url, apiKey, expert } = profile;
      return {
        ...(expert && { expert }),
        ...config,
        url,
        apiKey,
        kind: name === 'agent' ? 'consumer' : 'provider',
        profile: name,
        hasOtherProfile: (await profiles.names()).length > 1,
      };
    }
    if (wanted === undefined) return config;
    throw new Failure('usage', `No profile for the ${wanted} is stored. Store it: relay login`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...config, wrong: error };
  }
}

/** Where the address and the key come from. */
export const describeSource = ({ profile }: Config): string =>
  profile === undefined
    ? 'the environment: RELAY_URL and RELAY_API_KEY'
    : `the ${profile}'s profile, which relay login has stored`;

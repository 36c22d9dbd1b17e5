import { parseJson } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { kindOfKey, type ProfileName } from '../config.ts';
import { Failure } from '../failure.ts';
import { openStore, storeFolder } from './store.ts';

const profileNames = ['agent', 'expert'] as const satisfies readonly ProfileName[];

export const isProfileName = (name: string): name is ProfileName =>
  (profileNames as readonly string[]).includes(name);

/** What `relay login` has stored. */
const schema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  apiKey: z.string(),
  /** Of an agent: the fingerprints of which the expert must have one. */
  expert: z.array(z.string()).readonly().optional(),
});

export type Profile = z.infer<typeof schema>;

/** One profile for an agent and one for an expert. More of them need other folders (RELAY_CONFIG_DIR). */
export function openProfiles(folder: string) {
  const store = openStore(folder, 'profiles');
  return {
    path: storeFolder(folder, 'profiles'),
    async read(name: ProfileName): Promise<Profile | undefined> {
      const text = await store.get(name);
      if (text === undefined) return undefined;
      const { data } = schema.safeParse(parseJson(text));
      if (data && kindOfKey(data.apiKey) === kinds[name]) return data;
      throw new Failure(
        'state',
        `The ${name}'s profile in ${storeFolder(folder, 'profiles')} is damaged. Store it again: relay login`,
      );
    },
    /** Those that are stored, also damaged ones. */
    async names(): Promise<readonly ProfileName[]> {
      const stored = await store.names('');
      return profileNames.filter((name) => stored.includes(name));
    },
    write: (name: ProfileName, profile: Profile) => store.set(name, JSON.stringify(profile)),
    remove: (name: ProfileName) => store.delete(name),
  };
}

const kinds = { agent: 'consumer', expert: 'provider' } as const;

import { join } from 'node:path';
import { z } from 'zod';
import { openJsonFile } from './json-file.ts';

const schema = z.object({ version: z.literal(1), experts: z.record(z.string(), z.string()) });

/** The fingerprints that agents on this machine remember from their first contact. */
export interface KnownExperts {
  all(): Readonly<Record<string, string>>;
  get(name: string): Promise<string | undefined>;
  set(name: string, fingerprint: string): Promise<void>;
  remember(name: string, fingerprint: string): Promise<string>;
  forget(): void;
}

export function openKnownExperts(relayFolder: string): KnownExperts {
  const file = openJsonFile({
    path: join(relayFolder, 'known-experts.json'),
    schema,
    withoutIt: 'the experts that were known are then met as for the first time.',
  });
  // Read anew each time: other commands write it too.
  const all = () => file.read()?.experts ?? {};
  const set = (name: string, fingerprint: string) =>
    file.write({ version: 1, experts: { ...all(), [name]: fingerprint } });
  return {
    all,
    get: async (name) => all()[name],
    set: async (name, fingerprint) => set(name, fingerprint),
    async remember(name, fingerprint) {
      const known = all()[name];
      if (known === undefined) set(name, fingerprint);
      return known ?? fingerprint;
    },
    forget: file.remove,
  };
}

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Home, readJson, root, writeJson } from './home.ts';

/** The user that `npm start` makes. */
export interface DevUser {
  userId: string;
  consumerKey: string;
  providerKey: string;
}

/** Made once and stored: sessions, keys and data stay valid from one start to the next. */
export interface Secrets {
  postgresPassword: string;
  /** Settings of the services, by their names. */
  settings: Record<string, string>;
  devUser?: DevUser;
}

export function readSecrets(home: Home): Secrets {
  const kept = readJson<Partial<Secrets>>(home.file('secrets.json')) ?? {};
  const made = makeSecrets();
  const secrets = { ...made, ...kept, settings: { ...made.settings, ...kept.settings } };
  writeSecrets(home, secrets);
  return secrets;
}

export function writeSecrets(home: Home, secrets: Secrets): void {
  writeJson(home.file('secrets.json'), secrets);
}

/** By the program that makes them for a cluster, which knows all of them. */
export function makeSecrets(): Secrets {
  const args = [join(root, 'charts/expert-relay/make-secrets.mjs'), '--trial', 'local'];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8', env: {} });
  const all: Record<string, string> = Object.fromEntries(
    [...printed.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const settings = Object.entries(all).filter(([name]) => name.startsWith('RELAY_'));
  return { postgresPassword: all.POSTGRES_PASSWORD ?? '', settings: Object.fromEntries(settings) };
}

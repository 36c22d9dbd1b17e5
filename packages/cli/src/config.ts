import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { Failure } from './failure.ts';

/** `consumer`: an agent's key. `provider`: an expert's key. */
export type KeyKind = 'consumer' | 'provider';

export interface Config {
  readonly url?: string;
  readonly apiKey?: string;
  readonly kind?: KeyKind;
  readonly hubUrl?: string;
  /** The fingerprint that the expert must have. */
  readonly expert?: string;
  /** Where keys and conversations are kept. */
  readonly folder: string;
  readonly colours: boolean;
  /** The error of the first invalid setting. That setting is undefined above. */
  readonly wrong?: Failure;
}

/** The texts of `relay help environment`. */
export const variables = {
  RELAY_URL: 'the address of the relay, such as https://relay.example.com',
  RELAY_API_KEY:
    'your key: hs_... for an agent, hs_prov_... for an expert; the operator of the relay makes them',
  RELAY_HUB_URL: 'the address of its event hub, if it is not the one that the relay names',
  RELAY_EXPERT: "the expert's fingerprint (eight groups of five digits): no one else's answers are accepted",
  RELAY_CONFIG_DIR:
    'where keys and conversations are kept; else $XDG_CONFIG_HOME/expert-relay or ~/.config/expert-relay',
  NO_COLOR: 'when set, no colours',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(env: Environment = process.env): Config {
  let wrong: Failure | undefined;
  /** The value of a setting; undefined when it is not set or invalid. */
  function attempt<T>(read: () => T | undefined): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      wrong ??= error;
      return undefined;
    }
  }
  const url = attempt(() => readAddress(env, 'RELAY_URL'));
  const hubUrl = attempt(() => readAddress(env, 'RELAY_HUB_URL'));
  const key = attempt(() => readKey(env));
  const expert = attempt(() => readFingerprint(env));
  return {
    ...(url && { url }),
    ...(hubUrl && { hubUrl }),
    ...key,
    ...(expert && { expert }),
    folder: findFolder(env),
    colours: !env.NO_COLOR && env.TERM !== 'dumb',
    ...(wrong && { wrong }),
  };
}

function readAddress(env: Environment, name: 'RELAY_URL' | 'RELAY_HUB_URL'): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = /^https?:\/\/[^?#@]+$/.test(text) && address?.hostname;
  if (!isPlain) {
    throw new Failure('usage', `${name} is not an address such as https://relay.example.com. Set it again.`);
  }
  return text.replace(/\/+$/, '');
}

function readKey(env: Environment): { apiKey: string; kind: KeyKind } | undefined {
  const apiKey = env.RELAY_API_KEY?.trim();
  if (!apiKey) return undefined;
  if (!/^hs_(prov_)?[0-9A-Za-z]{38}$/.test(apiKey)) {
    throw new Failure(
      'usage',
      'RELAY_API_KEY is not a key of Expert Relay (it is not shown here). Those begin with hs_ or hs_prov_, and 38 letters and digits follow. Copy it again.',
    );
  }
  return { apiKey, kind: apiKey.startsWith('hs_prov_') ? 'provider' : 'consumer' };
}

function readFingerprint(env: Environment): string | undefined {
  const text = env.RELAY_EXPERT?.trim();
  if (!text) return undefined;
  if (text.replace(/\D/g, '').length !== 40) {
    throw new Failure(
      'usage',
      'RELAY_EXPERT is not a fingerprint: those are eight groups of five digits. The expert sees it with `relay keys`.',
    );
  }
  return text;
}

function findFolder(env: Environment): string {
  if (env.RELAY_CONFIG_DIR) return resolve(env.RELAY_CONFIG_DIR);
  const { XDG_CONFIG_HOME: xdg } = env;
  // The XDG specification says that relative paths are ignored.
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.config'), 'expert-relay');
}

const manifest: { version: string } = createRequire(import.meta.url)('../package.json');

export const { version } = manifest;

import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { Failure } from './failure.ts';

/** `consumer`: an agent's key. `provider`: an expert's key. */
export type KeyKind = 'consumer' | 'provider';

/** What `relay login` stores: one for an agent, one for an expert. */
export type ProfileName = 'agent' | 'expert';

export interface Config {
  readonly url?: string;
  readonly apiKey?: string;
  readonly kind?: KeyKind;
  /** The profile of which the address and the key are. Undefined where they are of the environment. */
  readonly profile?: ProfileName;
  /** Whether the profile of the other side is stored, too. */
  readonly hasOtherProfile?: boolean;
  readonly hubUrl?: string;
  /** The fingerprints of which the expert must have one. */
  readonly expert?: readonly string[];
  /** Whether answers are accepted that the relay could have written or replaced. */
  readonly acceptsUnprotected?: boolean;
  /** The agent's name, which the expert signs with the question. */
  readonly agentName?: string;
  /** From which the keys of questions with a name (--once) are derived. */
  readonly agentSecret?: string;
  /** Where keys and conversations are kept. */
  readonly folder: string;
  readonly colours: boolean;
  /** The program that opens an address in a browser. Undefined where there is none. */
  readonly browser?: string;
  /** The error of the first invalid setting. That setting is undefined above. */
  readonly wrong?: Failure;
}

/** The texts of `relay help environment`. */
export const variables = {
  RELAY_URL: 'the address of the relay, such as https://relay.example.com',
  RELAY_API_KEY:
    'your key: hs_... for an agent, hs_prov_... for an expert; the operator of the relay makes them',
  RELAY_HUB_URL: 'the address of its event hub, if it is not the one that the relay names',
  RELAY_EXPERT:
    "the expert's fingerprint (eight groups of five digits), or several with commas: no one else's answers are accepted",
  RELAY_ACCEPT_UNPROTECTED:
    'when 1, as --accept-unprotected: answers count that the relay could have written or replaced',
  RELAY_AGENT_NAME: "the agent's name that the expert sees, as with --as",
  RELAY_AGENT_SECRET:
    'for --once where no folder survives, as in CI: 32 random bytes, always the same (openssl rand -base64 32)',
  RELAY_CONFIG_DIR:
    'where keys and conversations are kept; else $XDG_CONFIG_HOME/expert-relay or ~/.config/expert-relay',
  BROWSER: 'the program that opens the page of `relay open`, by default that of the system',
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
  const expert = attempt(() => readFingerprints('RELAY_EXPERT', env.RELAY_EXPERT));
  const acceptsUnprotected = attempt(() => readSwitch(env));
  const agentName = attempt(() => readAgentName(env.RELAY_AGENT_NAME?.trim() ?? ''));
  const browser = findBrowser(env);
  const agentSecret = attempt(() => readAgentSecret(env.RELAY_AGENT_SECRET?.trim()));
  return {
    ...(url && { url }),
    ...(hubUrl && { hubUrl }),
    ...key,
    ...(expert && { expert }),
    ...(acceptsUnprotected && { acceptsUnprotected }),
    ...(agentName && { agentName }),
    ...(agentSecret && { agentSecret }),
    ...(browser && { browser }),
    folder: findFolder(env),
    colours: !env.NO_COLOR && env.TERM !== 'dumb',
    ...(wrong && { wrong }),
  };
}

function readAddress(env: Environment, name: 'RELAY_URL' | 'RELAY_HUB_URL'): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  const address = plainAddress(text);
  if (address === undefined)
    throw new Failure('usage', `${name} is not an address such as https://relay.example.com. Set it again.`);
  return address;
}

/** An address without its last slash. Undefined when it is none, or has a name, a password, a query or a fragment. */
export function plainAddress(text: string): string | undefined {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = /^https?:\/\/[^?#@]+$/.test(text) && address?.hostname;
  return isPlain ? text.replace(/\/+$/, '') : undefined;
}

/** Undefined when it is not a key of this product. */
export function kindOfKey(apiKey: string): KeyKind | undefined {
  if (!/^hs_(prov_)?[0-9A-Za-z]{38}$/.test(apiKey)) return undefined;
  return apiKey.startsWith('hs_prov_') ? 'provider' : 'consumer';
}

function readKey(env: Environment): { apiKey: string; kind: KeyKind } | undefined {
  const apiKey = env.RELAY_API_KEY?.trim();
  if (!apiKey) return undefined;
  const kind = kindOfKey(apiKey);
  if (!kind) {
    throw new Failure(
      'usage',
      'RELAY_API_KEY is not a key of Expert Relay (it is not shown here). Those begin with hs_ or hs_prov_, and 38 letters and digits follow. Copy it again.',
    );
  }
  return { apiKey, kind };
}

/** @throws Failure for a text that is none: `name` says where it was given */
export function readFingerprints(name: string, given: string | undefined): readonly string[] | undefined {
  const text = given?.trim();
  if (text === undefined) return undefined;
  // As of "$UNSET": it must not mean that any expert may answer.
  if (text === '')
    throw new Failure(
      'usage',
      `${name} is empty. Set it to the fingerprint that the expert sees with \`relay keys\`, or leave it out.`,
    );
  const fingerprints = text.split(',').map((each) => each.trim());
  if (fingerprints.some((each) => each.replace(/\D/g, '').length !== 40)) {
    throw new Failure(
      'usage',
      `${name} is not a fingerprint: those are eight groups of five digits, several with commas between. The expert sees it with \`relay keys\`.`,
    );
  }
  return fingerprints;
}

function readSwitch(env: Environment): boolean {
  const text = env.RELAY_ACCEPT_UNPROTECTED?.trim() ?? '';
  if (!['', '0', '1'].includes(text))
    throw new Failure('usage', 'RELAY_ACCEPT_UNPROTECTED is neither 1 nor 0. Set it again.');
  return text === '1';
}

function readAgentSecret(text: string | undefined): string | undefined {
  if (text === undefined || /^([0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/i.test(text)) return text;
  // As of "$UNSET": each machine would then ask the same question again.
  if (text === '')
    throw new Failure('usage', 'RELAY_AGENT_SECRET is empty. Set it to 32 random bytes, or unset it.');
  throw new Failure(
    'usage',
    'RELAY_AGENT_SECRET (it is not shown here) is not 32 bytes in base64 or hexadecimal. Make one: openssl rand -base64 32',
  );
}

/** @throws Failure when the relay would refuse it */
export function readAgentName(name: string): string | undefined {
  if (name.length > 100)
    throw new Failure(
      'usage',
      'The name of an agent (--as, RELAY_AGENT_NAME) has at most 100 characters. Shorten it.',
    );
  return name || undefined;
}

function findBrowser({ BROWSER, DISPLAY, WAYLAND_DISPLAY }: Environment): string | undefined {
  if (BROWSER) return BROWSER;
  if (process.platform === 'darwin') return 'open';
  if (process.platform === 'win32') return 'explorer';
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}

function findFolder(env: Environment): string {
  if (env.RELAY_CONFIG_DIR) return resolve(env.RELAY_CONFIG_DIR);
  const { XDG_CONFIG_HOME: xdg } = env;
  // The XDG specification says that relative paths are ignored.
  return xdg && isAbsolute(xdg) ? join(xdg, 'expert-relay') : defaultFolder;
}

/** Where keys and conversations are kept if the environment says nothing else. */
export const defaultFolder = join(homedir(), '.config/expert-relay');

const manifest: { version: string } = createRequire(import.meta.url)('../package.json');

export const { version } = manifest;

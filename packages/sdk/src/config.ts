import type { RelayOptions } from './agent/relay.ts';
import type { ClientOptions, PartialClientOptions } from './client-options.ts';
import { invalidInput } from './relay-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Node's variables. Browsers have none. */
const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

const read = (env: Environment, name: string) => env[name]?.trim() || undefined;

/** The options of a client, with the relay and the key of the environment where they are left out. */
export function withConnection<O extends PartialClientOptions>(
  options: O,
  env = environment(),
): O & ClientOptions {
  const own = read(env, 'RELAY_URL');
  const url = options.url ?? own;
  if (url === undefined) throw invalidInput('Set RELAY_URL, or give `url`.');
  if (options.apiKey == null && own !== undefined && url !== own)
    throw invalidInput('Give `apiKey` with `url`: RELAY_API_KEY belongs to RELAY_URL.');
  const apiKey = options.apiKey ?? read(env, 'RELAY_API_KEY');
  if (apiKey === undefined) throw invalidInput('Set RELAY_API_KEY, or give `apiKey`.');
  return {
    ...options,
    url,
    apiKey,
    // It belongs to RELAY_URL.
    hubUrl: options.hubUrl ?? (options.url == null ? read(env, 'RELAY_HUB_URL') : undefined),
  };
}

/** The options of an agent, and what is missing of them from the environment: the variables of `relay help environment`. */
export function withEnvironment(options: RelayOptions, env = environment()): RelayOptions & ClientOptions {
  /** Empty by mistake, it must not mean that any expert may answer, or that the names of questions have other keys. */
  function notEmpty(name: string, what: string): string | undefined {
    const text = env[name];
    if (text?.trim() === '') throw invalidInput(`${name} is empty. Set it to ${what}, or unset it.`);
    return text;
  }
  return {
    ...withConnection(options, env),
    expert: options.expert ?? notEmpty('RELAY_EXPERT', 'the fingerprint of your expert')?.split(','),
    agentName: options.agentName ?? read(env, 'RELAY_AGENT_NAME'),
    secret: options.secret ?? notEmpty('RELAY_AGENT_SECRET', '32 random bytes in base64')?.trim(),
  };
}

import type { RelayOptions } from './agent/relay.ts';
import type { ClientOptions } from './client-options.ts';
import { invalidInput } from './relay-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Node's variables. Browsers have none. */
const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

/** The options, and what is missing of them from the environment: the variables of `relay help environment`. */
export function withEnvironment(options: RelayOptions, env = environment()): RelayOptions & ClientOptions {
  const read = (name: string) => env[name]?.trim() || undefined;
  const url = options.url ?? read('RELAY_URL');
  const apiKey = options.apiKey ?? read('RELAY_API_KEY');
  if (url === undefined) throw invalidInput('Set RELAY_URL, or give `url`.');
  if (apiKey === undefined) throw invalidInput('Set RELAY_API_KEY, or give `apiKey`.');
  return {
    ...options,
    ...{ url, apiKey },
    // It belongs to RELAY_URL.
    hubUrl: options.hubUrl ?? (options.url == null ? read('RELAY_HUB_URL') : undefined),
    expert: options.expert ?? readExpert(env.RELAY_EXPERT),
    agentName: options.agentName ?? read('RELAY_AGENT_NAME'),
    secret: options.secret ?? read('RELAY_AGENT_SECRET'),
  };
}

/** A variable that is empty by mistake must not mean that any expert may answer. */
function readExpert(text: string | undefined): readonly string[] | undefined {
  if (text?.trim() === '')
    throw invalidInput('RELAY_EXPERT is empty. Set it to the fingerprint of your expert, or unset it.');
  return text?.split(',');
}

import { type Access, checkOptions, defaultTiming } from './client-options.ts';
import { toBase64 } from './crypto/base64.ts';
import { sha256, toUtf8 } from './crypto/bytes.ts';
import { createMemory, type Memory } from './memory.ts';
import { RelayError } from './relay-error.ts';
import type { WhoAmI } from './request-state.ts';
import { type Api, createApi } from './transport/api.ts';
import { createHub, type Hub, type HubOptions } from './transport/hub.ts';
import type { HubStreamOptions } from './transport/hub-stream.ts';
import { whoAmI } from './transport/requests.ts';
import { members } from './transport/shape.ts';

/** What the clients of agents and experts share. */
export interface Client {
  readonly api: Api;
  readonly hub: Hub;
  /** The part that belongs to this API key. With a session it is the whole memory. */
  readonly memory: Memory;
  whoami(signal?: AbortSignal): Promise<WhoAmI>;
}

const clientOptions = 'url hubUrl memory onOutage fetch random timing';

export function createClient(
  options: Access & { readonly memory?: Memory | undefined },
  /** The names of further options of this kind of client. */
  ownOptions: string,
  kind: 'agent' | 'expert' | 'session',
  onEvent: HubStreamOptions['onEvent'],
): Client {
  checkOptions(options, `${clientOptions} ${ownOptions}`);
  const { apiKey, memory = createMemory() } = options;
  if (kind !== 'session') checkKey(apiKey, kind);
  const timing = {
    ...defaultTiming,
    ...checkOptions(options.timing ?? {}, Object.keys(defaultTiming).join(' ')),
  };
  const api = createApi({ ...options, timing });
  const whoami = (signal?: AbortSignal) =>
    kind === 'session'
      ? api.get('/api/me', (answer) => whoAmI({ ...members(answer), kind: 'provider' }), signal)
      : api.get('/api/v1/whoami', whoAmI, signal);
  // An expert follows one topic, which contains the user's id. The id is read before each connection, since an answer
  // may be wrong: then the stream does not open, and the client polls.
  const topicsOf: HubOptions['topicsOf'] = async (topics, signal) =>
    kind === 'agent' ? topics : [`/svc/providers/${(await whoami(signal)).userId}/activity`];
  return {
    api,
    hub: createHub(api, { ...options, timing, onEvent, topicsOf }),
    memory: apiKey ? memoryOf(apiKey, memory) : memory,
    whoami,
  };
}

/**
 * The part of a memory that belongs to an API key. It depends on nothing else: the user's id comes from the relay,
 * which could lie about it to make the client forget what it remembers.
 */
function memoryOf(apiKey: string, memory: Memory): Memory {
  const named = async (name: string) => `${toBase64(await sha256(toUtf8(apiKey)))}:${name}`;
  return {
    get: async (name) => memory.get(await named(name)),
    set: async (name, value) => memory.set(await named(name), value),
    remember: async (name, value) => memory.remember(await named(name), value),
  };
}

/** The relay would refuse a key of the other kind without saying why. */
function checkKey(apiKey: unknown, kind: 'agent' | 'expert'): void {
  const [pattern, start] =
    kind === 'agent' ? [/^hs_(?!prov_)/, 'hs_, not hs_prov_'] : [/^hs_prov_/, 'hs_prov_'];
  if (pattern.test(String(apiKey))) return;
  throw new RelayError('invalid_key', `An ${kind}'s \`apiKey\` begins with ${start}.`);
}

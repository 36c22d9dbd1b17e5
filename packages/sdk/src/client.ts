import { type Access, checkOptions, defaultTiming, type Timing } from './client-options.ts';
import { invalidInput, RelayError } from './relay-error.ts';
import type { WhoAmI } from './request-state.ts';
import { createMemoryStore, digestOf, partOf, type Store, type Values } from './store.ts';
import { Api } from './transport/api.ts';
import { createHub, type Hub, type HubOptions } from './transport/hub.ts';
import type { HubStreamOptions } from './transport/hub-stream.ts';
import { whoAmI } from './transport/requests.ts';
import { members } from './transport/shape.ts';

/** What the clients of agents and experts share. */
export interface Client {
  readonly api: Api;
  readonly hub: Hub;
  readonly timing: Timing;
  readonly store: Store;
  /** Its part that belongs to this API key. With a session it is the whole store. */
  readonly keyValues: Values;
  whoami(signal?: AbortSignal): Promise<WhoAmI>;
}

const clientOptions = 'url hubUrl store onOutage fetch random timing';

export function createClient(
  options: Access,
  /** The names of further options of this kind of client. */
  ownOptions: string,
  kind: 'agent' | 'expert' | 'session',
  onEvent: HubStreamOptions['onEvent'],
): Client {
  checkOptions(options, `${clientOptions} ${ownOptions}`);
  for (const name of ['url', 'apiKey'] as const)
    if (String(options[name] ?? name).trim() === '') throw invalidInput(`\`${name}\` is empty.`);
  const { apiKey, store = createMemoryStore() } = options;
  if (kind !== 'session') checkKey(apiKey, kind);
  const timing = {
    ...defaultTiming,
    ...checkOptions(options.timing ?? {}, Object.keys(defaultTiming).join(' ')),
  };
  const api = new Api({ ...options, timing });
  const whoami = (signal?: AbortSignal) =>
    kind === 'session'
      ? api.get('/api/me', (body) => whoAmI({ ...members(body), kind: 'provider' }), signal)
      : api.get('/api/v1/whoami', whoAmI, signal);
  // An expert follows one topic, which contains the user's id. The id is read before each connection, since a response
  // may be wrong: then the stream does not open, and the client polls.
  const topicsOf: HubOptions['topicsOf'] = async (topics, signal) =>
    kind === 'agent' ? topics : [`/svc/providers/${(await whoami(signal)).userId}/activity`];
  return {
    api,
    hub: createHub(api, { ...options, timing, onEvent, topicsOf }),
    timing,
    store,
    // Not of the user's id, which comes from the relay: it could lie, and the client would forget what it remembers.
    keyValues: apiKey ? partOf(store, () => digestOf(apiKey)) : store,
    whoami,
  };
}

/** The relay would refuse a key of the other kind without saying why. */
function checkKey(apiKey: unknown, kind: 'agent' | 'expert'): void {
  const [pattern, start] =
    kind === 'agent' ? [/^hs_(?!prov_)/, 'hs_, not hs_prov_'] : [/^hs_prov_/, 'hs_prov_'];
  if (pattern.test(String(apiKey))) return;
  throw new RelayError('invalid_key', `An ${kind}'s \`apiKey\` begins with ${start}.`);
}

import { toBase64 } from './crypto/base64.ts';
import { sha256, toUtf8 } from './crypto/bytes.ts';

/**
 * Keeps texts under names for longer than a client exists. An agent keeps its conversations, with their private keys, the expert that it
 * knows, and what was decided; an expert the keys, the question and the reference code of each request. It can be a folder
 * (`createFileStore` of `@expert-relay/sdk/node`), a table or the browser's storage. Use one for all clients of a user on a machine: the SDK
 * keeps their values apart, and finds what an API key knew before it was rotated.
 *
 * @example
 * const store: Store = {
 *   get: async (name) => localStorage.getItem(name) ?? undefined,
 *   set: async (name, value) => localStorage.setItem(name, value),
 *   async remember(name, value) {
 *     if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
 *     return localStorage.getItem(name) ?? value;
 *   },
 *   delete: async (name) => localStorage.removeItem(name),
 *   names: async (prefix) => Object.keys(localStorage).filter((name) => name.startsWith(prefix)),
 * };
 */
export interface Store {
  /** The value of a name, if it has one. */
  get(name: string): Promise<string | undefined>;
  /** Stores a value, in place of an earlier one. */
  set(name: string, value: string): Promise<void>;
  /**
   * Stores a value unless the name has one already, and returns the stored one. It is atomic: two clients that call it
   * at the same time both get the value of the first.
   */
  remember(name: string, value: string): Promise<string>;
  /** Removes a name with its value. */
  delete(name: string): Promise<void>;
  /** The names that have a value and begin with this. */
  names(prefix: string): Promise<readonly string[]>;
}

/** The names of conversations begin with this, before their ids. */
export const conversationPrefix = 'conversation:';

/** The name of what a program stores beside a conversation: a store in files removes both after the same time. */
export const nameBeside = (kind: string, conversation: string): string =>
  `${kind}:${conversationPrefix}${conversation}`;

/** What a part of a store can do. */
export type Values = Pick<Store, 'get' | 'set' | 'remember'>;

/** Of what is too long or too private for a name. */
export const digestOf = async (text: string): Promise<string> => toBase64(await sha256(toUtf8(text)));

/** The part of a store whose names begin with a prefix. */
export function partOf(values: Values, prefix: () => Promise<string>): Values {
  const named = async (name: string) => `${await prefix()}:${name}`;
  return {
    get: async (name) => values.get(await named(name)),
    set: async (name, value) => values.set(await named(name), value),
    remember: async (name, value) => values.remember(await named(name), value),
  };
}

/** A list of texts under numbered names, each of which stands there once. Two processes that add at the same time lose none. */
export function listIn(values: Values, name: string) {
  const at = (index: number) => `${name}:${index}`;
  return {
    async all(): Promise<readonly string[]> {
      const texts: string[] = [];
      for (;;) {
        const text = await values.get(at(texts.length));
        if (text === undefined) return texts;
        texts.push(text);
      }
    },
    async add(text: string): Promise<void> {
      for (let index = 0; (await values.remember(at(index), text)) !== text; ) index += 1;
    },
  };
}

/** Values that take over those of earlier ones where there are none yet. */
export const continued = (values: Values, earlier: Values): Values => ({
  async get(name) {
    const known = await values.get(name);
    if (known !== undefined) return known;
    const before = await earlier.get(name);
    return before && (await values.remember(name, before));
  },
  set: values.set,
  remember: async (name, value) => values.remember(name, (await earlier.get(name)) ?? value),
});

/** Beyond this number, the values that were not written or remembered for the longest time are forgotten. */
const maxValues = 100_000;

/**
 * A store that lasts as long as the process. Clients that share one know the same experts and requests.
 *
 * @example
 * const store = createMemoryStore();
 * const relay = createRelay({ url, apiKey, store });
 */
export function createMemoryStore(): Store {
  const values = new Map<string, string>();
  function keep(name: string, value: string): string {
    // The last used value becomes the newest.
    values.delete(name);
    values.set(name, value);
    const [oldest = ''] = values.keys();
    if (values.size > maxValues) values.delete(oldest);
    return value;
  }
  return {
    get: async (name) => values.get(name),
    set: async (name, value) => void keep(name, value),
    remember: async (name, value) => keep(name, values.get(name) ?? value),
    delete: async (name) => void values.delete(name),
    names: async (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
  };
}

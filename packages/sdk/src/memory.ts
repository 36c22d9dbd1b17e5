/**
 * Remembers texts longer than a client exists: for an agent the first expert, and the codes and outcomes of its questions,
 * for an expert the keys, the question and the reference code of each request. It can be a file, a table or the browser's
 * storage. Use one memory for all clients of a user on a machine: the SDK keeps their values apart, and finds what an
 * API key knew before it was rotated.
 *
 * @example
 * const memory: Memory = {
 *   get: async (name) => localStorage.getItem(name) ?? undefined,
 *   set: async (name, value) => localStorage.setItem(name, value),
 *   async remember(name, value) {
 *     if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
 *     return localStorage.getItem(name) ?? value;
 *   },
 * };
 */
export interface Memory {
  /** The value of a name, if it has one. */
  get(name: string): Promise<string | undefined>;
  /** Stores a value, in place of an earlier one. */
  set(name: string, value: string): Promise<void>;
  /**
   * Stores a value unless the name has one already, and returns the stored one. It is atomic: two clients that call it
   * at the same time both get the value of the first.
   */
  remember(name: string, value: string): Promise<string>;
}

/**
 * A memory that can delete, too: that of an expert who is signed in, whose answers stand in it until they are sent.
 *
 * @example
 * const memory: Store = createMemory();
 * await memory.set('name', 'value');
 * await memory.delete('name');
 */
export interface Store extends Memory {
  /** Removes a name with its value. */
  delete(name: string): Promise<void>;
}

/** The part of a memory whose names begin with a prefix. */
export function partOf(memory: Memory, prefix: () => Promise<string>): Memory {
  const named = async (name: string) => `${await prefix()}:${name}`;
  return {
    get: async (name) => memory.get(await named(name)),
    set: async (name, value) => memory.set(await named(name), value),
    remember: async (name, value) => memory.remember(await named(name), value),
  };
}

/** A memory that takes over the values of an earlier one where it has none yet. */
export const continued = (memory: Memory, earlier: Memory): Memory => ({
  async get(name) {
    const known = await memory.get(name);
    if (known !== undefined) return known;
    const before = await earlier.get(name);
    return before && (await memory.remember(name, before));
  },
  set: memory.set,
  remember: async (name, value) => memory.remember(name, (await earlier.get(name)) ?? value),
});

/** Beyond this number, the values that were not written or remembered for the longest time are forgotten. */
const maxValues = 100_000;

/**
 * A memory that lasts as long as the process. Clients that share one know the same experts and requests.
 *
 * @example
 * const memory = createMemory();
 * const relay = createRelay({ url, apiKey, memory });
 */
export function createMemory(): Store {
  const values = new Map<string, string>();
  function store(name: string, value: string): string {
    // The last used value becomes the newest.
    values.delete(name);
    values.set(name, value);
    const [oldest = ''] = values.keys();
    if (values.size > maxValues) values.delete(oldest);
    return value;
  }
  return {
    get: async (name) => values.get(name),
    set: async (name, value) => void store(name, value),
    remember: async (name, value) => store(name, values.get(name) ?? value),
    delete: async (name) => void values.delete(name),
  };
}

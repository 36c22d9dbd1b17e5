/**
 * Remembers texts beyond the life of a client: for an agent which expert it met first, for an expert the keys, the
 * question and the reference code of each request. A file, a table or the browser's storage will do.
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
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /**
   * Keeps a value unless the name has one already, and gives the one that is kept. In one step: of two clients that
   * do so at once, both get the value of the first.
   */
  remember(name: string, value: string): Promise<string>;
}

/** A client that sees more requests than this within its life forgets those that it has not looked at for longest. */
const most = 100_000;

/**
 * Forgets everything with the process. Two clients that share one know the same experts and requests.
 *
 * @example
 * const memory = createMemory();
 * const relay = createRelay({ url, apiKey, memory });
 */
export function createMemory(): Memory {
  const values = new Map<string, string>();
  function keep(name: string, value: string): string {
    // Behind all others: what was used last.
    values.delete(name);
    values.set(name, value);
    const [oldest = ''] = values.keys();
    if (values.size > most) values.delete(oldest);
    return value;
  }
  return {
    get: async (name) => values.get(name),
    set: async (name, value) => void keep(name, value),
    remember: async (name, value) => keep(name, values.get(name) ?? value),
  };
}

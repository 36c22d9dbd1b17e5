/**
 * Remembers a few texts beyond the life of a client: which expert was met first. A file, a table or the
 * browser's storage will do.
 *
 * @example
 * const memory: Memory = {
 *   get: async (name) => localStorage.getItem(name) ?? undefined,
 *   set: async (name, value) => localStorage.setItem(name, value),
 * };
 */
export interface Memory {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}

/**
 * Forgets everything with the process. Two clients that share one know the same experts.
 *
 * @example
 * const memory = createMemory();
 * const relays = keys.map((apiKey) => createRelay({ url, apiKey, memory }));
 */
export function createMemory(): Memory {
  const values = new Map<string, string>();
  return {
    get: async (name) => values.get(name),
    set: async (name, value) => void values.set(name, value),
  };
}

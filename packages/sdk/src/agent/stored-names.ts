import { onceId } from '../crypto/once-keys.ts';
import type { Memory } from '../memory.ts';

/** Under which ids the conversations of a name are stored: one for each API key, so that a rotated key finds that of the one before. */
export function createStoredNames(memory: Memory, origin: string) {
  const nameAt = async (name: string, index: number) => `${origin}:once:${await onceId(name)}:${index}`;
  return {
    async *idsOf(name: string): AsyncGenerator<string> {
      for (let index = 0; ; index += 1) {
        const id = await memory.get(await nameAt(name, index));
        if (id === undefined) return;
        yield id;
      }
    },
    /** One number for each id: two processes at the same time lose none. */
    async note(name: string, id: string): Promise<void> {
      for (let index = 0; (await memory.remember(await nameAt(name, index), id)) !== id; ) index += 1;
    },
  };
}

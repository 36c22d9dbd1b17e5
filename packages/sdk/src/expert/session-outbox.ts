import { createQueue } from '../crypto/queue.ts';
import type { Memory } from '../memory.ts';
import type { Draft, Outbox } from '../thread/sender.ts';

export interface SessionOutbox extends Outbox {
  /** The texts that clients with this memory have not sent yet. */
  recall(): Promise<readonly Draft[]>;
}

/** Stores the unsent answers of one request in the memory, so that they are not lost with the page. */
export function createOutbox(memory: Memory, requestId: string): SessionOutbox {
  const name = `outbox:${requestId}`;
  const queue = createQueue();
  let own: readonly Draft[] = [];
  const read = async () => (await memory.get(name)) ?? '[]';
  const parse = (json: string): readonly Draft[] => JSON.parse(json);
  const sealedName = (messageId: string) => `sealed:${messageId}`;

  return {
    recall: async () => (own = parse(await read())),
    save: (unsent) =>
      queue(async () => {
        // First of all, so that another tab that still has them does not send them again.
        for (const draft of own)
          if (!unsent.includes(draft)) await memory.set(sealedName(draft.messageId), 'null');
        const ids = [...own, ...unsent].map(({ messageId }) => messageId);
        const before = await read();
        const others = parse(before).filter(({ messageId }) => !ids.includes(messageId));
        own = unsent;
        // Another tab has discarded or sent those that are sealed as null.
        const states = await Promise.all(unsent.map(({ messageId }) => memory.get(sealedName(messageId))));
        const kept = unsent.filter((_, index) => states[index] !== 'null');
        const now = JSON.stringify([...others, ...kept]);
        // Answers with files are large, and this runs at each attempt to send them.
        if (now !== before) await memory.set(name, now);
      }),
    async claim(messageId, sealed) {
      const json = JSON.stringify(sealed);
      const first = await memory.remember(sealedName(messageId), json);
      // The same object tells the caller that it was the first.
      return first === json ? sealed : JSON.parse(first);
    },
  };
}

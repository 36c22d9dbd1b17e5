import { createQueue } from '../crypto/queue.ts';
import type { Memory } from '../memory.ts';
import type { Draft, Outbox } from '../thread/outbox.ts';

export interface SessionOutbox extends Outbox {
  /** The texts that clients with this memory have not sent yet. */
  recall(): Promise<readonly Draft[]>;
}

/** How many values are read at the same time. */
const batch = 16;
/** What is stored in place of a text that is over. */
const over = 'null';

/**
 * Stores the unsent answers of one request in the memory, so that they are not lost with the page. Each has a numbered value of its
 * own, and the first client that writes to a number has it: tabs that save at the same time overwrite nothing of each other.
 */
export function createOutbox(memory: Memory, requestId: string): SessionOutbox {
  const queue = createQueue();
  const numbered = (number: number) => `outbox:${requestId}:${number}`;
  const sealedName = (messageId: string) => `sealed:${messageId}`;
  const isOver = async ({ messageId }: Draft) => (await memory.get(sealedName(messageId))) === over;
  const stored = new Map<string, { readonly number: number; readonly json: string }>();
  let own: readonly Draft[] = [];
  let free = 0;

  async function readNumbered(): Promise<Draft[]> {
    const drafts: Draft[] = [];
    for (;;) {
      // Most requests have none.
      const length = free === 0 ? 1 : batch;
      const names = Array.from({ length }, (_, index) => numbered(free + index));
      for (const json of await Promise.all(names.map((name) => memory.get(name)))) {
        if (json === undefined) return drafts;
        const draft: Draft | null = JSON.parse(json);
        if (draft) drafts.push(draft);
        if (draft) stored.set(draft.messageId, { number: free, json });
        free += 1;
      }
    }
  }

  async function store(draft: Draft): Promise<void> {
    const { messageId } = draft;
    const json = JSON.stringify(draft);
    const before = stored.get(messageId);
    // Answers with files are large, and this runs at each attempt to send them.
    if (before?.json === json) return;
    if (before) await memory.set(numbered(before.number), json);
    else while ((await memory.remember(numbered(free), json)) !== json) free += 1;
    stored.set(messageId, { number: before?.number ?? free, json });
  }

  async function remove({ messageId }: Draft): Promise<void> {
    const { number } = stored.get(messageId) ?? {};
    stored.delete(messageId);
    if (number !== undefined) await memory.set(numbered(number), over);
  }

  return {
    recall: () =>
      queue(async () => {
        own = [];
        for (const draft of await readNumbered()) {
          if (await isOver(draft)) await remove(draft);
          else own = [...own, draft];
        }
        return own;
      }),
    save: (unsent) =>
      queue(async () => {
        const gone = own.filter((draft) => !unsent.includes(draft));
        // First of all, so that another tab that still has them does not send them again.
        for (const { messageId } of gone) await memory.set(sealedName(messageId), over);
        for (const draft of gone) await remove(draft);
        own = unsent;
        for (const draft of unsent) {
          // Another tab has discarded or sent it.
          if (await isOver(draft)) await remove(draft);
          else await store(draft);
        }
      }),
    async claim(messageId, sealed) {
      const json = JSON.stringify(sealed);
      const first = await memory.remember(sealedName(messageId), json);
      // The caller was the first if it gets its own object.
      return first === json ? sealed : JSON.parse(first);
    },
  };
}

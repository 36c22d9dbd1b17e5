import { createQueue } from '../crypto/queue.ts';
import type { Values } from '../store.ts';
import type { AgentOutbox, Draft } from './outbox.ts';

/** How many values are read at the same time. */
const batch = 16;
/** What is stored in place of a text that is over. */
const over = 'null';
/** What is stored in place of one that the relay has accepted. */
interface Accepted {
  readonly accepted: string;
}

/**
 * Stores the unsent texts of an agent in the store, so that they are not lost with the process. Each has a
 * numbered value of its own, and the first process that writes to a number has it: processes that save at the same time overwrite nothing of
 * each other.
 */
export function createOutbox(values: Values, requestId: string): AgentOutbox {
  const queue = createQueue();
  const numbered = (number: number) => `outbox:${requestId}:${number}`;
  const sealedName = (messageId: string) => `sealed:${messageId}`;
  const isOver = async ({ messageId }: Draft) => (await values.get(sealedName(messageId))) === over;
  const stored = new Map<string, { readonly number: number; readonly json: string }>();
  const accepted = new Set<string>();
  let own: readonly Draft[] = [];
  let free = 0;

  /** Returns the text, if the value is one. */
  function note(number: number, json = over): Draft[] {
    const value: Draft | Accepted | null = JSON.parse(json);
    if (!value) return [];
    if ('accepted' in value) {
      accepted.add(value.accepted);
      return [];
    }
    stored.set(value.messageId, { number, json });
    return [value];
  }

  async function readNumbered(): Promise<Draft[]> {
    const drafts: Draft[] = [];
    const before = [...stored.values()];
    stored.clear();
    for (const { number } of before) drafts.push(...note(number, await values.get(numbered(number))));
    for (;;) {
      // Most requests have none.
      const length = free === 0 ? 1 : batch;
      const names = Array.from({ length }, (_, index) => numbered(free + index));
      for (const json of await Promise.all(names.map((name) => values.get(name)))) {
        if (json === undefined) return drafts;
        drafts.push(...note(free, json));
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
    if (before) {
      await values.set(numbered(before.number), json);
      stored.set(messageId, { number: before.number, json });
      return;
    }
    for (;;) {
      const first = await values.remember(numbered(free), json);
      // Also what another process has written there: nothing below `free` is read a second time.
      note(free, first);
      free += 1;
      if (first === json) return;
    }
  }

  async function remove({ messageId }: Draft, isAccepted = false): Promise<void> {
    const { number } = stored.get(messageId) ?? {};
    stored.delete(messageId);
    if (isAccepted) accepted.add(messageId);
    if (number !== undefined)
      await values.set(numbered(number), isAccepted ? JSON.stringify({ accepted: messageId }) : over);
  }

  return {
    kind: 'agent',
    read: () =>
      queue(async () => {
        const drafts: Draft[] = [];
        for (const draft of await readNumbered()) {
          if (await isOver(draft)) await remove(draft);
          else drafts.push(draft);
        }
        return { drafts, accepted: [...accepted] };
      }),
    save: (unsent, isSent = () => false) =>
      queue(async () => {
        const kept = new Set(unsent.map(({ messageId }) => messageId));
        const gone = own.filter(({ messageId }) => !kept.has(messageId));
        // First of all, so that another process must find them in the list.
        for (const draft of gone.filter(isSent)) await remove(draft, true);
        // So that another process that still has them does not send them again.
        for (const { messageId } of gone) await values.set(sealedName(messageId), over);
        for (const draft of gone) await remove(draft);
        own = unsent;
        for (const draft of unsent) {
          // Another process has discarded or sent it.
          if (accepted.has(draft.messageId)) continue;
          if (await isOver(draft)) await remove(draft);
          else await store(draft);
        }
      }),
    async claim(messageId, sealed) {
      const json = JSON.stringify(sealed);
      const first = await values.remember(sealedName(messageId), json);
      // The caller was the first if it gets its own object.
      return first === json ? sealed : JSON.parse(first);
    },
  };
}

import type { Page } from 'playwright-core';

/** Of the page: for how long a decision can be taken back. */
const undoMs = 4_000;

/**
 * Holds that time on a page that is opened afterwards, so that a test decides what comes before it ends. Returns what ends it, and says how
 * many times it has ended.
 */
export async function holdUndo(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript((heldMs: number) => {
    const held = new Map<unknown, () => void>();
    const { setTimeout: start, clearTimeout: clear } = globalThis;
    // No timer of the browser has a number below 1.
    let last = 0;
    const startOrHold = (task: () => void, ms?: number) => {
      if (ms !== heldMs) return start(task, ms);
      last -= 1;
      held.set(last, task);
      return last;
    };
    const clearOrForget = (id?: number) => {
      if (!held.delete(id)) clear(id);
    };
    const endUndo = () => {
      const tasks = [...held.values()];
      held.clear();
      for (const task of tasks) task();
      return tasks.length;
    };
    Object.assign(globalThis, { setTimeout: startOrHold, clearTimeout: clearOrForget, endUndo });
  }, undoMs);
  return () => page.evaluate<number>('endUndo()');
}

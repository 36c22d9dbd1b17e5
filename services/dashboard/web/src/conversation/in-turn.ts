/** The length of the texts that are rendered without a pause. After that, the page first answers the expert. */
const maxLengthAtOnce = 30_000;

interface Waiting {
  readonly length: number;
  readonly render: () => void;
}

const waiting = new Set<Waiting>();
let left = maxLengthAtOnce;
let isTaskPlanned = false;

/**
 * Calls `render` for a text of this length: at once, or in a later task when this one has rendered enough. Many long texts
 * would stop the page otherwise. Returns a function that cancels it.
 */
export function inTurn(length: number, render: () => void): () => void {
  const entry = { length, render };
  waiting.add(entry);
  if (waiting.size === 1) renderSome();
  return () => waiting.delete(entry);
}

function renderSome(): void {
  for (const entry of waiting) {
    // A text that is longer than all of a task's share is rendered in a task of its own.
    if (entry.length > left && left < maxLengthAtOnce) break;
    left -= entry.length;
    waiting.delete(entry);
    entry.render();
  }
  if (isTaskPlanned) return;
  isTaskPlanned = true;
  setTimeout(() => {
    isTaskPlanned = false;
    left = maxLengthAtOnce;
    if (waiting.size > 0) renderSome();
  });
}

/** Scrolls to the end of a text, or to what opens it: a button, or the summary of what is folded. */
export function bringTo(name: string): void {
  const selector = (attribute: string) => `[${attribute}="${CSS.escape(name)}"]`;
  const end = document.querySelector(selector('data-end'));
  const closed = document.querySelector(
    `details:not([open]):has(${selector('data-end')}, ${selector('data-folded')})`,
  );
  const folded =
    closed?.querySelector('summary') ??
    document.querySelector<HTMLElement>(`${selector('data-folded')}, [data-earlier]`);
  if (end && !closed) scrollTo(end, settlingFrames);
  else {
    folded?.scrollIntoView({ block: 'center' });
    folded?.focus({ preventScroll: true });
  }
}

/** The browser lays out the parts of a long text while they come into view, and so moves its end. */
const settlingFrames = 20;

function scrollTo(end: Element, frames: number): void {
  const stop = new AbortController();
  const next = (left: number) => {
    if (stop.signal.aborted) return;
    end.scrollIntoView({ block: 'end' });
    if (left > 0) requestAnimationFrame(() => next(left - 1));
    else stop.abort();
  };
  // What the expert does next may scroll elsewhere, and on a slow device these frames take a second.
  for (const event of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(event, () => stop.abort(), { capture: true, passive: true, signal: stop.signal });
  }
  next(frames);
}

import { foldedBefore } from '../text/watch-end.ts';

/**
 * Scrolls to the end of a text and keeps it in the middle of the view until it counts as shown: short texts below it then count,
 * too. Or it scrolls to what opens the text: a button, or the summary of what is folded.
 */
export function bringTo(name: string, isShown: () => boolean): void {
  const selector = (attribute: string) => `[${attribute}="${CSS.escape(name)}"]`;
  const end = document.querySelector(selector('data-end'));
  const closed =
    document.querySelector(`details:not([open]):has(${selector('data-end')}, ${selector('data-folded')})`) ??
    (end && foldedBefore(end));
  const folded =
    closed?.querySelector('summary') ??
    document.querySelector<HTMLElement>(`${selector('data-folded')}, [data-earlier]`);
  if (end && !closed) keepInView(end, isShown);
  else {
    folded?.scrollIntoView({ block: 'center' });
    folded?.focus({ preventScroll: true });
  }
}

/** The browser lays out the parts of a long text while they come into view, and so moves its end. */
function keepInView(end: Element, isShown: () => boolean): void {
  const stop = new AbortController();
  const scroll = () => {
    if (stop.signal.aborted) return;
    end.scrollIntoView({ block: 'center' });
    if (isShown() || !end.isConnected) stop.abort();
    else requestAnimationFrame(scroll);
  };
  // What the expert does next may scroll elsewhere.
  for (const event of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(event, () => stop.abort(), { capture: true, passive: true, signal: stop.signal });
  }
  scroll();
}

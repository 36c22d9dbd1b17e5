/** How long the end of a text must be in view until the text counts as shown. */
const shownAfterMs = 1_000;

interface Watcher {
  /** The end has come into view, or has left it. Until the browser has reported, it is taken to be in view. */
  onView(isInView: boolean): void;
  /** It was in view of a visible page for a second, and nothing before it was folded. */
  onShown(): void;
}

/** A part of the text before its end that the expert has folded, such as a file of a diff. */
export const foldedBefore = (end: Element): Element | undefined =>
  end.previousElementSibling?.querySelector('details:not([open])') ?? undefined;

/** Watches the end of a text until it counts as shown. Returns a function that stops it. */
export function watchEnd(element: Element, { onView, onShown }: Watcher): () => void {
  /** Undefined until the browser has reported. */
  let isAtEnd: boolean | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function update(entries: readonly IntersectionObserverEntry[] = []): void {
    const entry = entries.at(-1);
    // All of its width, too: it is as wide as the text.
    const width = entry?.boundingClientRect.width ?? 0;
    if (entry) isAtEnd = entry.isIntersecting && entry.intersectionRect.width >= width - 1;
    const isInView = isAtEnd === true && !foldedBefore(element);
    if (isAtEnd !== undefined) onView(isInView);
    const isSeen = isInView && document.visibilityState === 'visible';
    if (isSeen) timer ??= setTimeout(finish, shownAfterMs);
    else {
      clearTimeout(timer);
      timer = undefined;
    }
  }

  function finish(): void {
    // A busy page may not have reported yet that it was scrolled.
    update(observer.takeRecords());
    if (timer === undefined) return;
    onShown();
    stop();
  }

  const onChange = () => update();
  function stop(): void {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('visibilitychange', onChange);
    document.removeEventListener('toggle', onChange, true);
    onView(false);
  }

  onView(true);
  const observer = new IntersectionObserver(update, { threshold: [0, 1] });
  observer.observe(element);
  document.addEventListener('visibilitychange', onChange);
  document.addEventListener('toggle', onChange, true);
  return stop;
}

/** How long the end of a text must be in view until the text counts as shown. */
const shownAfterMs = 1_000;

/** Calls `onShown` once the element was in view of a visible page for a second. Returns a function that stops it. */
export function watchEnd(element: Element, onShown: () => void): () => void {
  let isInView = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function update(entries: readonly IntersectionObserverEntry[] = []): void {
    isInView = entries.at(-1)?.isIntersecting ?? isInView;
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
    stop();
    onShown();
  }

  const onVisibility = () => update();
  function stop(): void {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('visibilitychange', onVisibility);
  }

  const observer = new IntersectionObserver(update);
  observer.observe(element);
  document.addEventListener('visibilitychange', onVisibility);
  return stop;
}

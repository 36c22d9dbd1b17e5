/** How long texts are laid out without a pause. After that, the page first answers the expert. */
const sliceMs = 12;

/** When the share of this task ends. Undefined before its first work. */
let end: number | undefined;

/**
 * Does a piece of work: at once, or in later tasks when this one has worked long enough. Many long texts would stop the page
 * otherwise. What is done does not depend on the time. Returns a function that cancels it.
 */
export function inTurn<Result>(
  work: Iterator<void, Result>,
  onDone: (result: Result) => void,
  now = () => performance.now(),
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  function workOn(): void {
    if (end === undefined) {
      end = now() + sliceMs;
      setTimeout(() => {
        end = undefined;
      });
    }
    while (now() < end) {
      const { done, value } = work.next();
      if (!done) continue;
      onDone(value);
      return;
    }
    timer = setTimeout(workOn);
  }
  workOn();
  return () => clearTimeout(timer);
}

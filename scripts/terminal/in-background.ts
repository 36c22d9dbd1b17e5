type Work<T> = (detail: (text: string) => void) => Promise<T>;

/** Begins some work at once; the answer is a step that waits for its end and shows its latest detail. */
export function inBackground<T>(work: Work<T>): Work<T> {
  let latest = '';
  let show = (text: string) => {
    latest = text;
  };
  const doing = work((text) => show(text));
  // Whether it failed is told when the step comes.
  doing.catch(() => undefined);
  return (detail) => {
    if (latest) detail(latest);
    show = detail;
    return doing;
  };
}

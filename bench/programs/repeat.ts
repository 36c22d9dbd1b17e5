import { type Span, timeSpan } from './span.ts';

/** A command that does the same call again and again, so many at a time. */
export function repeat(
  call: () => Promise<unknown>,
): (plan: { count: number; concurrency: number }) => Promise<Span> {
  return ({ count, concurrency }) => {
    let begun = 0;
    const lane = async () => {
      while (begun++ < count) await call();
    };
    return timeSpan(Array(concurrency).fill(lane), { done: count });
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { NewSpan, OpenSpan, Tracing } from './span.ts';

interface CurrentSpan {
  readonly span: OpenSpan;
  readonly tracing: Pick<Tracing, 'startSpan'>;
}

/**
 * The span of the call for which code runs. It reaches code below a route, such as a statement, without an argument in each
 * function between. While tracing is off it is never set, and costs nothing.
 */
const current = new AsyncLocalStorage<CurrentSpan>();

/** Runs work whose spans belong to this one. */
export const runInSpan = <T>(call: CurrentSpan, work: () => T): T => current.run(call, work);

/** The `traceparent` of the call for which this code runs. Undefined while tracing is off. */
export const currentTraceparent = (): string | undefined => current.getStore()?.span.traceparent;

/** The same, and undefined if the call is not sampled. */
export function sampledTraceparent(): string | undefined {
  const span = current.getStore()?.span;
  return span?.isSampled ? span.traceparent : undefined;
}

/** Lets the call for which this code runs be sampled, if its span was held. */
export const releaseSpan = (): void => current.getStore()?.span.release();

/** Records work as a part of the call for which it runs. Only runs it if that call is not sampled. */
export function inSpan<T>(describe: () => Omit<NewSpan, 'parent'>, work: () => Promise<T>): Promise<T> {
  const call = current.getStore();
  return call?.span.isSampled ? record(call, describe(), work) : work();
}

async function record<T>(
  { span, tracing }: CurrentSpan,
  child: Omit<NewSpan, 'parent'>,
  work: () => Promise<T>,
): Promise<T> {
  const open = tracing.startSpan({ ...child, parent: span.traceparent });
  let hasFailed = true;
  try {
    const result = await work();
    hasFailed = false;
    return result;
  } finally {
    open?.end({ hasFailed });
  }
}

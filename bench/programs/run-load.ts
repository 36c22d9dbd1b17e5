import { exchange } from './exchange.ts';
import { type Span, timeSpan } from './span.ts';

export interface Load {
  readonly port: number;
  /** Whole HTTP requests, sent in turn. */
  readonly requests: readonly string[];
  readonly count: number;
  readonly concurrency: number;
}

/** Sends a fixed number of requests over kept-alive connections, each of which waits for its answer. */
export function runLoad({ port, requests, count, concurrency }: Load): Promise<Span> {
  const texts = requests.map((text) => Buffer.from(text));
  const outcomes: Record<string, number> = {};
  let sent = 0;
  const next = () => (sent < count ? texts[sent++ % texts.length] : undefined);
  const answered = (status: number) => {
    outcomes[status] = (outcomes[status] ?? 0) + 1;
  };
  const lanes = Array.from({ length: concurrency }, () => () => exchange({ port, next, answered }));
  return timeSpan(lanes, outcomes);
}

import type { RelayError } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import { describeTime } from '../terminal/describe-duration.ts';
import type { Screen } from '../terminal/screen.ts';

/** Reports once that the relay cannot be reached or asks to wait, and once that it answers again. */
export interface Outages {
  /** For the SDK's clients. */
  readonly onOutage: (error: RelayError | undefined) => void;
  /** A sentence about the current outage; undefined when calls are answered. */
  readonly current: string | undefined;
  stop(): void;
}

/** Shorter interruptions are not reported. */
const reportAfterMs = 1_500;

export function watchOutages({ err, now }: Pick<Context, 'err' | 'now'>): Outages {
  let current: { reason: string | undefined; sentence: string } | undefined;
  let isReported = false;
  let timer: NodeJS.Timeout | undefined;

  function report(): void {
    if (!current) return;
    isReported = true;
    err.paragraph(current.sentence, { style: 'yellow' });
  }
  return {
    onOutage(error) {
      if (error?.reason === current?.reason) return;
      clearTimeout(timer);
      current = error && { reason: error.reason, sentence: describeOutage(error, now()) };
      if (current?.reason === 'rate_limited') report();
      else if (current) timer = setTimeout(report, reportAfterMs);
      else if (isReported) {
        isReported = false;
        err.paragraph('The relay answers again.', { style: 'green' });
      }
    },
    get current() {
      return current?.sentence;
    },
    stop: () => clearTimeout(timer),
  };
}

function describeOutage({ reason, message, retryAfterMs = 60_000 }: RelayError, now: number): string {
  return reason === 'rate_limited'
    ? `${message} The next call is made at ${describeTime(now + retryAfterMs)}.`
    : `${message} Retrying.`;
}

const slowAfterMs = 3_000;

/** Reports after a while that a call is not answered yet, unless an outage was reported. */
export async function warnWhenSlow<T>(err: Screen, outages: Outages, call: Promise<T>): Promise<T> {
  const say = setTimeout(() => {
    if (!outages.current) err.paragraph('The relay does not answer yet. Still trying; Ctrl-C stops.');
  }, slowAfterMs);
  try {
    return await call;
  } finally {
    clearTimeout(say);
  }
}

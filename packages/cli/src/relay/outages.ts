import type { RelayError } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import { describeTime } from '../terminal/describe-duration.ts';

/** Reports that the relay is away, or asks to wait, and that it is back: once each, whatever the number of calls. */
export interface Outages {
  /** For the SDK's clients. */
  readonly onOutage: (error: RelayError | undefined) => void;
  /** What is wrong now, in words; undefined when calls are answered. */
  readonly current: string | undefined;
  stop(): void;
}

/** A connection that breaks and is made again at once is not worth a line. */
const reportAfterMs = 1_500;

export function watchOutages({ err, now }: Pick<Context, 'err' | 'now'>): Outages {
  let current: { code: string; sentence: string } | undefined;
  let isReported = false;
  let timer: NodeJS.Timeout | undefined;

  function report(): void {
    if (!current) return;
    isReported = true;
    err.paragraph(current.sentence, { style: 'yellow' });
  }
  return {
    onOutage(error) {
      if (error?.code === current?.code) return;
      clearTimeout(timer);
      current = error && { code: error.code, sentence: describeOutage(error, now()) };
      if (current?.code === 'rate_limited') report();
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

function describeOutage({ code, message, retryAfter = 60_000 }: RelayError, now: number): string {
  return code === 'rate_limited'
    ? `${message} It goes on at ${describeTime(now + retryAfter)}.`
    : `${message} Trying on.`;
}

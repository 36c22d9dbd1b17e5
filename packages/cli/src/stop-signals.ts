import type { Outcome } from './exit-codes.ts';
import { Failure } from './failure.ts';

/** Lets a command end by itself at the first Ctrl-C or SIGTERM; the second ends it as usual. */
export function watchStopSignals(): { signal: AbortSignal; release(): void } {
  const stopping = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    release();
    const outcome: Outcome = name === 'SIGINT' ? 'interrupted' : 'terminated';
    stopping.abort(new Failure(outcome, ''));
  };
  const release = () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: stopping.signal, release };
}

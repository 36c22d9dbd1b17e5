import { setMaxListeners } from 'node:events';
import type { Outcome } from './exit-codes.ts';
import { Failure } from './failure.ts';

/** Lets a command end by itself at the first Ctrl-C or SIGTERM; the second ends it as usual. */
export function watchStopSignals(): { signal: AbortSignal; stop(why: Failure): void; release(): void } {
  const stopping = new AbortController();
  // Each open conversation listens to it.
  setMaxListeners(0, stopping.signal);
  const onSignal = (name: NodeJS.Signals) => {
    release();
    const outcome: Outcome = name === 'SIGINT' ? 'interrupted' : 'terminated';
    stopping.abort(new Failure(outcome, ''));
  };
  const release = () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { signal: stopping.signal, stop: (why) => stopping.abort(why), release };
}

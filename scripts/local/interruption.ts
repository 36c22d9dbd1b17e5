import { watchStarter } from '../processes/watch-starter.ts';

/** The wish to stop: Ctrl-C, a signal, a closed terminal, or an npm that was killed. */
export interface Interruption {
  /** Resolves at the first wish. */
  stop: Promise<void>;
  /** Aborted at the second: whoever waits has lost patience. */
  hurry: AbortSignal;
  end(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForInterruption(): Interruption {
  const hurry = new AbortController();
  let firstAt: number | undefined;
  let resolve: () => void;
  const stop = new Promise<void>((done) => {
    resolve = done;
  });

  const wish = () => {
    // npm passes on the signal that the terminal has sent to us too: those two count as one.
    if (firstAt !== undefined && Date.now() - firstAt > 500) hurry.abort();
    firstAt ??= Date.now();
    resolve();
  };
  for (const signal of signals) process.on(signal, wish);
  watchStarter(wish);

  return {
    stop,
    hurry: hurry.signal,
    end: () => {
      for (const signal of signals) process.off(signal, wish);
    },
  };
}

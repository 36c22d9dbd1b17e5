/** A request to stop: Ctrl-C, a signal, a closed terminal, or an npm that was killed. */
export interface Interruption {
  /** Resolves at the first request. */
  stop: Promise<void>;
  /** Aborted at the second request: everything is then killed. */
  hurry: AbortSignal;
  end(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForInterruption(): Interruption {
  const [first, second] = [new AbortController(), new AbortController()];
  let firstAt = 0;

  function interrupt(): void {
    if (!first.signal.aborted) {
      firstAt = Date.now();
      first.abort();
      // npm passes on the signal that the terminal has sent to us too: those two count as one.
    } else if (Date.now() - firstAt > 500) second.abort();
  }
  for (const signal of signals) process.on(signal, interrupt);
  // When the npm that started this process was killed, Ctrl-C does not reach us any more. We have another parent then.
  const npm = process.env.npm_lifecycle_event && process.ppid;
  const timer = setInterval(() => {
    if (npm && process.ppid !== npm) first.abort();
  }, 250).unref();

  return {
    stop: new Promise((resolve) => first.signal.addEventListener('abort', () => resolve())),
    hurry: second.signal,
    end() {
      clearInterval(timer);
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}

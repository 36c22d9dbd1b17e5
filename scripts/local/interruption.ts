import { identify, isRunning, type KnownProcess, readDetails } from '../processes/process-identity.ts';

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
  const hurry = new AbortController();
  let firstAt: number | undefined;
  let resolve: () => void;
  const stop = new Promise<void>((done) => {
    resolve = done;
  });

  const interrupt = () => {
    // npm passes on the signal that the terminal has sent to us too: those two count as one.
    if (firstAt !== undefined && Date.now() - firstAt > 500) hurry.abort();
    firstAt ??= Date.now();
    resolve();
  };
  for (const signal of signals) process.on(signal, interrupt);
  const stopWatching = watchNpm(interrupt);

  return {
    stop,
    hurry: hurry.signal,
    end() {
      stopWatching();
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}

/** Calls back when the npm that started this process was killed: Ctrl-C could not reach us any more. */
function watchNpm(ended: () => void): () => void {
  const npm = process.env.npm_lifecycle_event ? findNpm() : undefined;
  if (!npm) return () => undefined;
  const timer = setInterval(() => {
    if (isRunning(npm)) return;
    clearInterval(timer);
    ended();
  }, 250);
  timer.unref();
  return () => clearInterval(timer);
}

/** npm is our parent, or the parent of the shell between. */
function findNpm(): KnownProcess | undefined {
  let pid = process.ppid;
  for (let distance = 1; pid > 1 && distance <= 2; distance += 1) {
    const [identity, details] = [identify(pid), readDetails(pid)];
    if (!identity || !details) return undefined;
    if (details.words.slice(0, 2).some((word) => /(^|\/)npm(-cli\.js)?$/.test(word)))
      return { pid, identity };
    pid = details.parent;
  }
  return undefined;
}

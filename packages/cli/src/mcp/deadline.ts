import { Failure } from '../failure.ts';

/** A signal that also aborts after some seconds, with words for whoever waited for the relay. */
export function startDeadline(seconds: number, signal: AbortSignal): { signal: AbortSignal; end(): void } {
  const own = new AbortController();
  const giveUp = () => own.abort(signal.reason);
  const timer = setTimeout(
    () => own.abort(new Failure('unreachable', `The relay has not answered within ${seconds} seconds.`)),
    seconds * 1_000,
  );
  signal.addEventListener('abort', giveUp, { once: true });
  return {
    signal: own.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    },
  };
}

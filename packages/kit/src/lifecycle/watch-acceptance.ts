import { type Part, StartupError } from '../part/index.ts';

export interface AcceptanceWatch {
  /** Settles when a server has refused the settings of this process for the whole time, since the start. */
  readonly refused: Promise<StartupError>;
  start(): void;
  stop(): void;
}

/**
 * Asks parts each second until their servers have accepted the settings once. The settings of a process do not change, and those of
 * the next one may be corrected.
 */
export function watchAcceptance(parts: readonly Part[], patienceMs: number): AcceptanceWatch {
  let timer: NodeJS.Timeout | undefined;
  let refusedSince: number | undefined;
  let report = (_error: StartupError) => {};
  const refused = new Promise<StartupError>((resolve) => {
    report = resolve;
  });

  function look(): void {
    const pending = parts
      .flatMap(({ name, acceptance }) => (acceptance ? { server: name, answer: acceptance() } : []))
      .filter(({ answer }) => answer !== 'accepted');
    if (pending.length === 0) clearInterval(timer);
    const [refusal] = pending.flatMap(({ server, answer }) =>
      typeof answer === 'object' ? { server, reason: answer.refused } : [],
    );
    if (!refusal) {
      refusedSince = undefined;
      return;
    }
    refusedSince ??= performance.now();
    if (performance.now() - refusedSince < patienceMs) return;
    clearInterval(timer);
    const advice = 'Check its address, credentials, permissions and authorities.';
    report(new StartupError(`The sign-in to ${refusal.server} fails: ${refusal.reason}. ${advice}`));
  }

  return {
    refused,
    start() {
      timer = setInterval(look, 1_000).unref();
    },
    stop: () => clearInterval(timer),
  };
}

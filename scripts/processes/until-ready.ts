import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from './program.ts';
import type { Spawned } from './spawn-program.ts';

/** Waits for a program that was just started; answers what is wrong when it will not do. */
export async function untilReady(
  program: Program,
  { ended }: Spawned,
  options: { within: number; signal: AbortSignal },
): Promise<string | undefined> {
  let end: string | undefined;
  void ended.then((how) => {
    end = how;
  });
  const deadline = Date.now() + options.within;
  for (;;) {
    const reason = await program.notReady();
    if (end !== undefined) return `it ended (${end})`;
    if (reason === undefined) return undefined;
    if (options.signal.aborted) return 'stopping';
    if (Date.now() > deadline) return `it is not ready after ${options.within / 1000} s: ${reason}`;
    await pause(25);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from './program.ts';
import type { Spawned } from './spawn-program.ts';

export interface Trouble {
  ended: boolean;
  reason: string;
}

/** Waits for a program that was just started; answers what is wrong when it does not get there. */
export async function untilReady(
  program: Program,
  spawned: Spawned,
  options: { within: number; signal: AbortSignal },
): Promise<Trouble | undefined> {
  let end: string | undefined;
  void spawned.ended.then((how) => {
    end = how;
  });
  const began = Date.now();
  for (;;) {
    const reason = await program.notReady();
    if (end !== undefined) return { ended: true, reason: `it ended (${end})` };
    if (reason === undefined) return undefined;
    if (options.signal.aborted) return { ended: false, reason: 'stopping' };
    const waited = Date.now() - began;
    if (waited > options.within) {
      return { ended: false, reason: `it is not ready after ${options.within / 1000} s: ${reason}` };
    }
    // Asking costs: who takes longer is asked less often.
    await pause(Math.min(150, 20 + waited / 10));
  }
}

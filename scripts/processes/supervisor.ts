import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { lastLines, StepError } from '../terminal/failure.ts';
import { formatTime } from '../terminal/terminal.ts';
import { type Program, type Spawned, spawnProgram } from './program.ts';
import { type RunningProcess, stopProcesses } from './stop-processes.ts';

/** Starts programs again when they end, until it is stopped. */
export interface Supervisor {
  /** Resolves when the program is ready; rejects, with the end of its log, when it does not become ready. */
  start(program: Program): Promise<void>;
  /** Stops a program gracefully and starts it again. */
  restart(name: string): Promise<void>;
  stop(hurry?: AbortSignal): Promise<void>;
}

interface Supervised {
  program: Program;
  spawned: Spawned;
  startedAt: number;
  failures: number;
  restarting: boolean;
}

/** A program that has run for so long starts its pauses from the shortest again. */
const stableAfterMs = 30_000;

export function createSupervisor(options: {
  say: (line: string) => void;
  /** Called synchronously for each process that starts, and when all have been stopped. */
  changed: (running: RunningProcess[]) => void;
  readyWithin?: number;
  firstPause?: number;
  longestPause?: number;
  stopLimit?: number;
}): Supervisor {
  const { say, changed, readyWithin = 120_000, stopLimit = 10_000 } = options;
  const { firstPause = 100, longestPause = 15_000 } = options;
  const supervised = new Map<string, Supervised>();
  const stopping = new AbortController();

  const running = () => [...supervised.values()].flatMap(({ spawned }) => spawned.process ?? []);

  function launch(program: Program, failures: number): Supervised {
    const one = {
      program,
      spawned: spawnProgram(program),
      startedAt: Date.now(),
      failures,
      restarting: false,
    };
    supervised.set(program.name, one);
    changed(running());
    return one;
  }

  const ready = (program: Program, spawned: Spawned) =>
    untilReady(program, spawned, { within: readyWithin, signal: stopping.signal });

  async function start(program: Program): Promise<void> {
    await program.prepare?.();
    stopping.signal.throwIfAborted();
    const one = launch(program, 0);
    const trouble = await ready(program, one.spawned);
    if (trouble) {
      throw new StepError(`${program.name} did not start: ${trouble.reason}. Its log is ${program.logFile}`, {
        output: lastLines(readFileSync(program.logFile, 'utf8'), 15),
      });
    }
    void keepRunning(one);
  }

  /** Waits for the end of each process of a program, and starts the next one. */
  async function keepRunning(first: Supervised): Promise<void> {
    for (let one = first; ; ) {
      const how = await one.spawned.ended;
      if (stopping.signal.aborted) return;
      const { program, restarting } = one;
      const failures = Date.now() - one.startedAt > stableAfterMs ? 0 : one.failures;
      const wait = restarting ? 0 : Math.min(longestPause, firstPause * 2 ** failures);
      if (!restarting)
        say(`${program.name} ended unexpectedly (${how}); starting it again in ${formatTime(wait)}`);
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
      await program.prepare?.().catch((error: Error) => say(`${program.name}: ${error.message}`));
      if (stopping.signal.aborted) return;
      one = launch(program, restarting ? 0 : failures + 1);
      void report(one, restarting ? 'reloaded' : 'is back');
    }
  }

  async function report({ program, spawned, startedAt }: Supervised, verb: string): Promise<void> {
    const trouble = await ready(program, spawned);
    // keepRunning reports its end.
    if (stopping.signal.aborted || trouble?.hasEnded) return;
    const result = trouble
      ? `: ${trouble.reason}; see ${program.logFile}`
      : ` ${verb}  ${formatTime(Date.now() - startedAt)}`;
    say(`${program.name}${result}`);
  }

  async function restart(name: string): Promise<void> {
    const one = supervised.get(name);
    if (!one?.spawned.process || stopping.signal.aborted) return;
    one.restarting = true;
    await stopProcesses([one.spawned.process], { limit: stopLimit });
  }

  async function stop(hurry?: AbortSignal): Promise<void> {
    stopping.abort();
    await stopProcesses(running(), { limit: stopLimit, ...(hurry ? { hurry } : {}) });
    changed([]);
  }

  return { start, restart, stop };
}

interface Trouble {
  hasEnded: boolean;
  reason: string;
}

/** Waits for a program that was just started. Resolves with the reason when it does not become ready. */
async function untilReady(
  program: Program,
  spawned: Spawned,
  options: { within: number; signal: AbortSignal },
): Promise<Trouble | undefined> {
  let end: string | undefined;
  void spawned.ended.then((how) => {
    end = how;
  });
  const startedAt = Date.now();
  for (;;) {
    const reason = await program.notReady();
    if (end !== undefined) return { hasEnded: true, reason: `it ended (${end})` };
    if (reason === undefined) return undefined;
    if (options.signal.aborted) return { hasEnded: false, reason: 'stopping' };
    const waited = Date.now() - startedAt;
    if (waited > options.within) {
      return { hasEnded: false, reason: `it is not ready after ${options.within / 1000} s: ${reason}` };
    }
    // Each call costs CPU time, which a program that starts slowly needs itself.
    await pause(Math.min(150, 20 + waited / 10));
  }
}

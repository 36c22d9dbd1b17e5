import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { lastLines, StepError } from '../terminal/failure.ts';
import { formatTime } from '../terminal/terminal.ts';
import { type Program, type Spawned, spawnProgram } from './program.ts';
import { identify, type RunningProcess, stopProcesses } from './running-process.ts';

/** Starts programs again when they end, until it is stopped. */
export interface Supervisor {
  /** Resolves when the program is ready; rejects, with the end of its log, when it does not become ready. */
  start(program: Program): Promise<void>;
  /** Stops a program gracefully and starts it again. */
  restart(name: string): Promise<void>;
  /** Has a process that it did not start stopped too, before all others. */
  adopt(name: string, pid: number | undefined): void;
  /** Calls at once, and then whenever a process starts, until everything is stopped. */
  watch(listener: (running: readonly RunningProcess[]) => void): void;
  stop(): Promise<void>;
}

const readyWithinMs = 120_000;
const stopLimitMs = 10_000;
const longestPauseMs = 15_000;
/** A program that has run for so long starts its pauses from the shortest again. */
const stableAfterMs = 30_000;

export function createSupervisor(options: {
  say: (line: string) => void;
  firstPauseMs?: number;
}): Supervisor {
  const { say, firstPauseMs = 100 } = options;
  const adopted: RunningProcess[] = [];
  const listeners: ((running: readonly RunningProcess[]) => void)[] = [];
  const spawned = new Map<string, Spawned>();
  /** The processes that end because of `restart`. */
  const restarting = new Set<Spawned>();
  const stopping = new AbortController();
  const running = () => [...adopted, ...[...spawned.values()].flatMap(({ process }) => process ?? [])];

  function report(): void {
    if (!stopping.signal.aborted) for (const listener of listeners) listener(running());
  }

  function launch(program: Program): Spawned {
    const launched = spawnProgram(program);
    spawned.set(program.name, launched);
    report();
    return launched;
  }

  async function start(program: Program): Promise<void> {
    await program.prepare?.();
    stopping.signal.throwIfAborted();
    const launched = launch(program);
    const reason = await whyNotReady(program, launched, stopping.signal);
    if (reason) {
      throw new StepError(`${program.name} did not start: ${reason}. Its log is ${program.logFile}`, {
        output: lastLines(readFileSync(program.logFile, 'utf8'), 15),
      });
    }
    void keepRunning(program, launched);
  }

  /** Waits for the end of each process of a program, and starts the next one. */
  async function keepRunning(program: Program, first: Spawned): Promise<void> {
    const { name } = program;
    let failures = 0;
    for (let current = first, startedAt = Date.now(); ; ) {
      const how = await current.ended;
      if (stopping.signal.aborted) return;
      const isRestart = restarting.delete(current);
      if (isRestart || Date.now() - startedAt > stableAfterMs) failures = 0;
      const waitMs = isRestart ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** failures++);
      if (!isRestart) say(`${name} ended unexpectedly (${how}); starting it again in ${formatTime(waitMs)}`);
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      await program.prepare?.().catch((error: Error) => say(`${name}: ${error.message}`));
      if (stopping.signal.aborted) return;
      startedAt = Date.now();
      current = launch(program);
      void sayWhenReady(program, current, isRestart ? 'reloaded' : 'is back');
    }
  }

  async function sayWhenReady(program: Program, launched: Spawned, verb: string): Promise<void> {
    const startedAt = Date.now();
    const reason = await whyNotReady(program, launched, stopping.signal);
    // keepRunning reports its end.
    if (stopping.signal.aborted || reason?.startsWith('it ended')) return;
    const result = reason
      ? `: ${reason}; see ${program.logFile}`
      : ` ${verb}  ${formatTime(Date.now() - startedAt)}`;
    say(`${program.name}${result}`);
  }

  async function restart(name: string): Promise<void> {
    const target = spawned.get(name);
    if (!target?.process || stopping.signal.aborted) return;
    restarting.add(target);
    await stopProcesses([target.process], stopLimitMs);
  }

  return {
    start,
    restart,
    adopt(name, pid) {
      const identity = pid && identify(pid);
      if (identity) adopted.push({ name, pid, identity, tier: 2, stopSignal: 'SIGTERM' });
      report();
    },
    watch(listener) {
      listeners.push(listener);
      report();
    },
    async stop() {
      stopping.abort();
      await stopProcesses(running(), stopLimitMs);
    },
  };
}

/** Waits until a program that was just started is ready. Returns the reason when it does not become so. */
async function whyNotReady(
  program: Program,
  { ended }: Spawned,
  stopping: AbortSignal,
): Promise<string | undefined> {
  let end: string | undefined;
  void ended.then((how) => {
    end = how;
  });
  const startedAt = Date.now();
  for (;;) {
    const reason = await program.notReady();
    if (end !== undefined) return `it ended (${end})`;
    if (reason === undefined) return undefined;
    if (stopping.aborted) return 'it was stopped';
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > readyWithinMs) return `it is not ready after ${readyWithinMs / 1000} s: ${reason}`;
    // Each call costs CPU time, which a program that starts slowly needs itself.
    await pause(Math.min(150, 20 + waitedMs / 10));
  }
}

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { formatTime } from '../terminal/format-time.ts';
import { lastLines } from '../terminal/last-lines.ts';
import { StepError } from '../terminal/step-error.ts';
import type { Program } from './program.ts';
import type { RunningProcess } from './running-process.ts';
import { type Spawned, spawnProgram } from './spawn-program.ts';
import { stopProcesses } from './stop-processes.ts';
import { untilReady } from './until-ready.ts';

/** Keeps programs running until it is told to stop them. */
export interface Supervisor {
  /** Resolves when the program works; rejects, with the end of its log, when it does not come up. */
  start(program: Program): Promise<void>;
  /** Stops a program gracefully and starts it anew. */
  restart(name: string): Promise<void>;
  stop(hurry?: AbortSignal): Promise<void>;
}

interface Kept {
  program: Program;
  spawned: Spawned;
  since: number;
  failures: number;
  restarting: boolean;
}

export function createSupervisor(options: {
  say: (line: string) => void;
  /** Told of every process that appears or goes, before anything else can happen. */
  changed: (running: RunningProcess[]) => void;
  readyWithin?: number;
  firstPause?: number;
  longestPause?: number;
  stopLimit?: number;
}): Supervisor {
  const {
    say,
    changed,
    readyWithin = 120_000,
    firstPause = 100,
    longestPause = 15_000,
    stopLimit = 10_000,
  } = options;
  const kept = new Map<string, Kept>();
  const stopping = new AbortController();

  const running = () => [...kept.values()].flatMap(({ spawned }) => spawned.process ?? []);

  function launch(program: Program, failures: number): Kept {
    const one = { program, spawned: spawnProgram(program), since: Date.now(), failures, restarting: false };
    kept.set(program.name, one);
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

  /** Follows one program from life to life. */
  async function keepRunning(first: Kept): Promise<void> {
    for (let one = first; ; ) {
      const how = await one.spawned.ended;
      if (stopping.signal.aborted) return;
      const { program, restarting } = one;
      const failures = Date.now() - one.since > 30_000 ? 0 : one.failures;
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

  async function report({ program, spawned, since }: Kept, verb: string): Promise<void> {
    const trouble = await ready(program, spawned);
    // Its end is told by whoever starts it again.
    if (stopping.signal.aborted || trouble?.ended) return;
    const news = trouble
      ? `: ${trouble.reason}; see ${program.logFile}`
      : ` ${verb}  ${formatTime(Date.now() - since)}`;
    say(`${program.name}${news}`);
  }

  async function restart(name: string): Promise<void> {
    const one = kept.get(name);
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

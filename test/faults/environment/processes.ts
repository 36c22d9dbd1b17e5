import { eventually } from '@expert-relay/testkit';
import type { Run } from '../../../scripts/local/with-run.ts';
import type { Program } from '../../../scripts/processes/program.ts';
import { isRunning, type RunningProcess } from '../../../scripts/processes/running-process.ts';
import type { Supervisor } from '../../../scripts/processes/supervisor.ts';

/** Kills, stops and freezes supervised processes, by name. */
export interface Processes {
  /** Starts programs in a way that allows them to be kept stopped. */
  readonly supervisor: Supervisor;
  /** `kill -9`. The supervisor starts the process again, as a cluster would. */
  kill(name: string): Promise<void>;
  /** Stops it gracefully, as a deployment does, and starts it again. */
  restart(name: string): Promise<void>;
  /** `kill -9`. The process is not started again until `bringBack`. */
  takeDown(name: string): Promise<void>;
  bringBack(name: string): Promise<void>;
  freeze(name: string): void;
  unfreeze(name: string): void;
  /** Waits until it is ready again. */
  waitUntilReady(name: string): Promise<void>;
  /** Brings all processes back and unfreezes them. */
  releaseAll(): void;
}

export function createProcesses({ supervisor }: Run): Processes {
  const programs = new Map<string, Program>();
  const gates = new Map<string, PromiseWithResolvers>();
  const frozen = new Set<string>();
  let running: readonly RunningProcess[] = [];
  supervisor.watch((now) => {
    running = now;
  });

  function find(name: string): RunningProcess {
    const found = running.find((one) => one.name === name);
    if (!found) throw new Error(`No process is named ${name}.`);
    return found;
  }

  async function kill(name: string): Promise<void> {
    const target = find(name);
    if (isRunning(target)) process.kill(target.pid, 'SIGKILL');
    await eventually(`the end of ${name}`, () => !isRunning(target));
  }

  async function waitUntilReady(name: string): Promise<void> {
    const isReady = async () => (await programs.get(name)?.notReady()) === undefined;
    await eventually(`${name} is ready`, isReady, { timeoutMs: 60_000 });
  }

  function open(name: string): void {
    gates.get(name)?.resolve();
    gates.delete(name);
  }

  function unfreeze(name: string): void {
    frozen.delete(name);
    process.kill(find(name).pid, 'SIGCONT');
  }

  return {
    supervisor: {
      ...supervisor,
      start(program) {
        programs.set(program.name, program);
        const prepare = async () => {
          await gates.get(program.name)?.promise;
          await program.prepare?.();
        };
        return supervisor.start({ ...program, prepare });
      },
    },
    kill,
    async restart(name) {
      await supervisor.restart(name);
      await waitUntilReady(name);
    },
    async takeDown(name) {
      gates.set(name, withResolvers());
      await kill(name);
    },
    async bringBack(name) {
      open(name);
      await waitUntilReady(name);
    },
    freeze(name) {
      frozen.add(name);
      process.kill(find(name).pid, 'SIGSTOP');
    },
    unfreeze,
    waitUntilReady,
    releaseAll() {
      for (const name of [...gates.keys()]) open(name);
      for (const name of [...frozen]) unfreeze(name);
    },
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(): void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

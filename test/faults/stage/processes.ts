import { eventually } from '@expert-relay/testkit';
import type { Run } from '../../../scripts/local/with-run.ts';
import { isRunning } from '../../../scripts/processes/process-identity.ts';
import type { Program } from '../../../scripts/processes/program.ts';
import type { RunningProcess } from '../../../scripts/processes/stop-processes.ts';
import type { Supervisor } from '../../../scripts/processes/supervisor.ts';

/** Ends and freezes what a supervisor keeps running, by name. */
export interface Processes {
  /** Starts programs so that they can be kept away. */
  readonly supervisor: Supervisor;
  /** `kill -9`. The supervisor starts it again a moment later, as a cluster would. */
  kill(name: string): Promise<void>;
  /** Asks it to end, as a deploy does, and has it started anew. */
  replace(name: string): Promise<void>;
  /** `kill -9`, and it stays away until it is brought back. */
  takeAway(name: string): Promise<void>;
  bringBack(name: string): Promise<void>;
  freeze(name: string): void;
  thaw(name: string): void;
  /** Waits until it works again. */
  ready(name: string): Promise<void>;
  /** Nothing is kept away or frozen any more. */
  release(): void;
}

export function createProcesses({ supervisor, watchProcesses }: Run): Processes {
  const programs = new Map<string, Program>();
  const gates = new Map<string, PromiseWithResolvers>();
  const frozen = new Set<string>();
  let running: readonly RunningProcess[] = [];
  watchProcesses((now) => {
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

  async function ready(name: string): Promise<void> {
    const works = async () => (await programs.get(name)?.notReady()) === undefined;
    await eventually(`${name} is ready`, works, { within: 60_000 });
  }

  function open(name: string): void {
    gates.get(name)?.resolve();
    gates.delete(name);
  }

  function thaw(name: string): void {
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
    async replace(name) {
      await supervisor.restart(name);
      await ready(name);
    },
    async takeAway(name) {
      gates.set(name, withResolvers());
      await kill(name);
    },
    async bringBack(name) {
      open(name);
      await ready(name);
    },
    freeze(name) {
      frozen.add(name);
      process.kill(find(name).pid, 'SIGSTOP');
    },
    thaw,
    ready,
    release() {
      for (const name of [...gates.keys()]) open(name);
      for (const name of [...frozen]) thaw(name);
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

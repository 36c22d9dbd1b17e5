import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../processes/process-identity.ts';
import { type RunningProcess, stopProcesses } from '../processes/stop-processes.ts';
import { createSupervisor, type Supervisor } from '../processes/supervisor.ts';
import { createTerminal, type Terminal } from '../terminal/terminal.ts';
import { claimHome, startWatchdog } from './claim-home.ts';
import { devFiles } from './dev-json.ts';
import { type Home, openHome } from './home.ts';
import { listenForInterruption } from './interruption.ts';
import { openPorts, type Ports } from './ports.ts';

/** What a command may use while it runs. Everything that it starts is stopped when it ends, however it ends. */
export interface Run {
  home: Home;
  terminal: Terminal;
  ports: Ports;
  supervisor: Supervisor;
  /** Has a process that the command started itself stopped too, first of all, if it still runs at the end. */
  adopt(name: string, pid: number | undefined): void;
  /** Calls at once, and then whenever a process starts or ends. */
  watchProcesses(watch: (running: RunningProcess[]) => void): void;
  /** Resolves when the user wants it to stop. */
  interrupted: Promise<void>;
}

/** Does some work in a new folder, which is removed afterwards. Returns `undefined` when it was interrupted. */
export async function withTemporaryRun<T>(
  name: string,
  terminal: Terminal,
  work: (run: Run) => Promise<T>,
): Promise<T | undefined> {
  const home = openHome(mkdtempSync(join(tmpdir(), `expert-relay-${name}-`)));
  try {
    return await withRun({ home, terminal, remove: [home.path] }, work);
  } finally {
    rmSync(home.path, { recursive: true, force: true });
  }
}

/** Does some work in a folder. Returns `undefined` when it was interrupted. */
export async function withRun<T>(
  options: { home?: Home; terminal?: Terminal; remove?: readonly string[] },
  work: (run: Run) => Promise<T>,
): Promise<T | undefined> {
  const { home = openHome(), terminal = createTerminal(), remove = [] } = options;
  const claim = await claimHome(home, terminal.line);
  const stopWatchdog = startWatchdog(home);
  claim.update({ remove: [...devFiles(home), ...remove] });
  const interruption = listenForInterruption();
  const ports = openPorts(home);

  let supervised: RunningProcess[] = [];
  const adopted: RunningProcess[] = [];
  let watcher: ((running: RunningProcess[]) => void) | undefined;
  const record = () => {
    const processes = [...supervised, ...adopted];
    claim.update({ processes });
    watcher?.(processes);
  };
  const supervisor = createSupervisor({
    say: (text) => terminal.line(`  · ${text}`),
    changed(running) {
      supervised = running;
      record();
    },
  });

  const working = work({
    home,
    terminal,
    ports,
    supervisor,
    adopt(name, pid) {
      const identity = pid && identify(pid);
      if (identity) adopted.push({ name, pid, identity, tier: 4, stopSignal: 'SIGTERM' });
      record();
    },
    watchProcesses(watch) {
      watcher = watch;
      record();
    },
    interrupted: interruption.stop,
  });
  // Interrupted work fails, since what it uses is stopped.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, interruption.stop.then(() => undefined)]);
  } finally {
    watcher = undefined;
    for (const file of devFiles(home)) rmSync(file, { force: true });
    claim.update({ stopping: true });
    const stop = async () => {
      await stopProcesses(adopted, 5_000, interruption.hurry);
      await supervisor.stop(interruption.hurry);
    };
    await (supervised.length > 0 ? terminal.step('stop', stop) : stop());
    ports.release();
    stopWatchdog();
    claim.release();
    interruption.end();
  }
}

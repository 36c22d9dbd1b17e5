import { startGuard } from '../processes/guard.ts';
import type { RunningProcess } from '../processes/running-process.ts';
import { stopProcesses } from '../processes/stop-processes.ts';
import { createSupervisor, type Supervisor } from '../processes/supervisor.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { devFiles, removeDevJson } from './dev-json.ts';
import type { Home } from './home.ts';
import { listenForInterruption } from './interruption.ts';
import { openPortClaims } from './port-claims.ts';
import { openPorts, type Ports } from './ports.ts';
import { claimHome } from './run-record.ts';

/** What a command may use while it runs. Whatever it starts is stopped when it ends, however it ends. */
export interface Run {
  home: Home;
  ports: Ports;
  supervisor: Supervisor;
  /** Has a process that the command started itself stopped too, should it be left over. */
  adopt(process: RunningProcess): void;
  /** Calls at once, and then whenever a process comes or goes. */
  watchProcesses(watch: (running: RunningProcess[]) => void): void;
  /** Resolves when somebody wants it to stop. */
  interrupted: Promise<void>;
}

/** Does some work with a home of its own. Answers `undefined` when it was interrupted. */
export async function withRun<T>(
  options: { home: Home; terminal: Terminal; remove?: readonly string[] },
  work: (run: Run) => Promise<T>,
): Promise<T | undefined> {
  const { home, terminal, remove = [] } = options;
  const record = await claimHome(home, terminal.line);
  removeDevJson(home);
  const interruption = listenForInterruption();
  const guard = startGuard({
    programFile: home.file('guardian.mjs'),
    logFile: home.log('guardian'),
    began: (guardian) => record.update({ guardian }),
  });
  const claims = openPortClaims();

  let supervised: RunningProcess[] = [];
  const adopted: RunningProcess[] = [];
  let watcher: ((running: RunningProcess[]) => void) | undefined;
  const tell = () => {
    const running = [...supervised, ...adopted];
    record.update({ processes: running });
    guard.update({ stop: running, remove: [...devFiles(home), ...remove] });
    watcher?.(running);
  };
  const changed = (running: RunningProcess[]) => {
    supervised = running;
    tell();
  };
  const adopt = (process: RunningProcess) => {
    adopted.push(process);
    tell();
  };
  const supervisor = createSupervisor({ say: (text) => terminal.line(`  · ${text}`), changed });
  const watchProcesses = (watch: (running: RunningProcess[]) => void) => {
    watcher = watch;
    tell();
  };

  const doing = work({
    home,
    ports: openPorts(home, claims),
    supervisor,
    adopt,
    watchProcesses,
    interrupted: interruption.stop,
  });
  // Interrupted work fails somehow, since what it needs is stopped under it.
  doing.catch(() => undefined);
  try {
    return await Promise.race([doing, interruption.stop.then(() => undefined)]);
  } finally {
    watcher = undefined;
    removeDevJson(home);
    record.update({ stopping: true });
    const stop = async () => {
      await stopProcesses(adopted, { limit: 5_000, hurry: interruption.hurry });
      await supervisor.stop(interruption.hurry);
    };
    await (supervised.length > 0 ? terminal.step('stop', stop) : stop());
    claims.release();
    record.release();
    guard.dismiss();
    interruption.end();
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSupervisor, type Supervisor } from '../processes/supervisor.ts';
import { createTerminal, type Terminal } from '../terminal/terminal.ts';
import { claimHome, startWatchdog } from './claim-home.ts';
import { devFiles } from './dev-json.ts';
import { type Home, openHome } from './home.ts';
import { openPorts, type Ports } from './ports.ts';

/** What a command may use while it runs. Everything that it starts is stopped when it ends, however it ends. */
export interface Run {
  home: Home;
  terminal: Terminal;
  ports: Ports;
  supervisor: Supervisor;
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

/** Does some work in a folder. Returns `undefined` when it was interrupted. `anyPort`: see `openPorts`. */
export async function withRun<T>(
  options: { home?: Home; terminal?: Terminal; remove?: readonly string[]; anyPort?: () => Promise<number> },
  work: (run: Run) => Promise<T>,
): Promise<T | undefined> {
  const { home = openHome(), terminal = createTerminal(), remove = [] } = options;
  const claim = await claimHome(home, terminal.line);
  const stopWatchdog = startWatchdog(home);
  claim.update({ remove: [...devFiles(home), ...remove] });
  const interruption = listenForInterruption();
  const ports = openPorts(home, options.anyPort);
  const supervisor = createSupervisor({ say: (text) => terminal.line(`  · ${text}`) });
  supervisor.watch((processes) => claim.update({ processes }));

  const working = work({ home, terminal, ports, supervisor, interrupted: interruption.stop });
  // Interrupted work fails, since what it uses is stopped.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, interruption.stop.then(() => undefined)]);
  } finally {
    claim.update({ stopping: true });
    const stopping = terminal.step('stop', () => supervisor.stop());
    for (const file of devFiles(home)) rmSync(file, { force: true });
    await stopping;
    stopWatchdog();
    claim.release();
    interruption.end();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * `stop` resolves at Ctrl-C, at a signal, or when the terminal is closed. The signals are caught until `end`: npm
 * repeats the one that the terminal sent, and the second must not end this process before it has stopped the others.
 */
function listenForInterruption(): { stop: Promise<void>; end(): void } {
  let interrupt = () => {};
  const stop = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  for (const signal of signals) process.on(signal, interrupt);
  // When the npm that started this process was killed, Ctrl-C does not reach us any more. We have another parent then.
  const npm = process.env.npm_lifecycle_event && process.ppid;
  const timer = setInterval(() => {
    if (npm && process.ppid !== npm) interrupt();
  }, 1_000).unref();
  return {
    stop,
    end() {
      clearInterval(timer);
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}

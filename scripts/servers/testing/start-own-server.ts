import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, reservePort } from '@expert-relay/testkit';
import { openHome } from '../../local/home.ts';
import { spawnProgram } from '../../processes/program.ts';
import type { RunningProcess } from '../../processes/stop-processes.ts';
import { stopProcesses } from '../../processes/stop-processes.ts';
import { startWatchdog } from '../../processes/watchdog.ts';
import { findServers } from '../find-servers.ts';
import { programFor } from '../open-servers.ts';
import type { ServerKind } from '../server-kind.ts';

export interface OwnServer {
  readonly url: string;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again, over what it had written. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A real server of a test's own, found as `npm start` finds it, for tests that take it away. */
export async function startOwnServer(kind: ServerKind): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), `expert-relay-${kind.name}-`));
  const home = openHome(folder);
  const placement = { home, data: folder, port: await reservePort(), password: '', durable: true };
  const [found] = await findServers([{ kind, data: folder }], home, () => {});
  // Stops the server if this process is killed.
  const watchdog = startWatchdog({ programFile: home.file('watchdog.mjs'), logFile: home.log('watchdog') });
  let running: RunningProcess | undefined;

  async function start(): Promise<void> {
    if (!found) throw new Error(`There is no ${kind.title} to start.`);
    const program = programFor(kind, placement, await found.launch(placement));
    await program.prepare?.();
    running = spawnProgram(program).process;
    watchdog.update({ stop: running ? [running] : [], remove: [folder] });
    await eventually(`${kind.title} answers`, async () => (await program.notReady()) === undefined);
  }

  async function kill(): Promise<void> {
    if (!running) return;
    process.kill(running.pid, 'SIGKILL');
    await stopProcesses([running], { limit: 0 });
    running = undefined;
  }

  async function stop(): Promise<void> {
    await kill();
    watchdog.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  await start();
  return { url: kind.url(placement), start, kill, stop };
}

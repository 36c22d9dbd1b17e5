import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, reservePort } from '@expert-relay/testkit';
import { openHome } from '../../local/home.ts';
import { startGuard } from '../../processes/guard.ts';
import type { RunningProcess } from '../../processes/running-process.ts';
import { spawnProgram } from '../../processes/spawn-program.ts';
import { stopProcesses } from '../../processes/stop-processes.ts';
import { findServers } from '../find-servers.ts';
import { programFor } from '../program-for.ts';
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
  const place = { home, data: folder, port: await reservePort(), password: '', durable: true };
  const [found] = await findServers([{ kind, data: folder }], home, () => {});
  // However this test run ends, the server goes with it.
  const guard = startGuard({
    programFile: home.file('guardian.mjs'),
    logFile: home.log('guardian'),
    began: () => {},
  });
  let running: RunningProcess | undefined;

  async function start(): Promise<void> {
    if (!found) throw new Error(`There is no ${kind.title} to start.`);
    const program = programFor(kind, place, await found.launch(place));
    await program.prepare?.();
    running = spawnProgram(program).process;
    guard.update({ stop: running ? [running] : [], remove: [folder] });
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
    guard.dismiss();
    rmSync(folder, { recursive: true, force: true });
  }

  await start();
  return { url: kind.url(place), start, kill, stop };
}

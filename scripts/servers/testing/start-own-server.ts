import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, reservePort } from '@expert-relay/testkit';
import { claimHome, startWatchdog } from '../../local/claim-home.ts';
import { openHome } from '../../local/home.ts';
import { spawnProgram } from '../../processes/program.ts';
import { type RunningProcess, stopProcesses } from '../../processes/running-process.ts';
import { findServers } from '../find-servers.ts';
import { serverProgram } from '../open-servers.ts';
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
  const data = join(folder, 'data');
  mkdirSync(data);
  const placement = { kind, home, data, port: await reservePort(), password: '', durable: true };
  const found = (await findServers([placement], () => {})).get(placement);
  // Stops the server if this process is killed.
  const claim = await claimHome(home, () => {});
  const stopWatchdog = startWatchdog(home);
  let running: RunningProcess[] = [];

  async function start(): Promise<void> {
    if (!found) throw new Error(`There is no ${kind.title} to start.`);
    const program = serverProgram(placement, found.launch);
    await program.prepare?.();
    running = [spawnProgram(program).process].flatMap((process) => process ?? []);
    claim.update({ processes: running, remove: [folder] });
    await eventually(`${kind.title} answers`, async () => (await program.notReady()) === undefined);
  }

  async function kill(): Promise<void> {
    for (const { pid } of running) process.kill(pid, 'SIGKILL');
    await stopProcesses(running, 0);
    running = [];
  }

  async function stop(): Promise<void> {
    await kill();
    stopWatchdog();
    rmSync(folder, { recursive: true, force: true });
  }

  await start();
  return { url: kind.url(placement), start, kill, stop };
}

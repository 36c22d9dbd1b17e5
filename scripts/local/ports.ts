import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { takeLock } from '../../packages/cli/src/store/lock-file.ts';
import { StepError } from '../terminal/failure.ts';
import { type Home, readJson, writeJson } from './home.ts';

/** Gives every listener a loopback port, the same one as last time while it is free. */
export interface Ports {
  choose(name: string, preferred?: number): Promise<number>;
  /** The port that a variable demands: it is not replaced by another one, and not remembered. */
  take(port: number, variable: string): Promise<number>;
  release(): void;
}

/**
 * Runs that start at the same time do not choose the same free port: each claims it by a lock file that is named for
 * it, in a folder that all users share, and all runs, also those with a TMPDIR of their own.
 */
export function openPorts(home: Home, claims = '/tmp/expert-relay-ports'): Ports {
  const file = home.file('ports.json');
  const remembered = readJson<Record<string, number>>(file) ?? {};
  const claimed: string[] = [];
  // Sticky and open to all, as /tmp itself.
  if (mkdirSync(claims, { recursive: true })) chmodSync(claims, 0o1777);

  function claim(port: number): boolean {
    const lock = join(claims, String(port));
    try {
      if (!takeLock(lock, 0o644)) return false;
      claimed.push(lock);
      return true;
    } catch {
      // The claim of another user that has ended can be neither read nor replaced.
      return false;
    }
  }

  async function choose(name: string, preferred?: number): Promise<number> {
    for (const port of candidates(remembered[name], preferred)) {
      if (!claim(port) || !(await isFree(port))) continue;
      remembered[name] = port;
      writeJson(file, remembered);
      return port;
    }
    throw new StepError(
      `No free port was found for ${name} on 127.0.0.1. End programs that use ports, then try again.`,
    );
  }

  async function take(port: number, variable: string): Promise<number> {
    if (claim(port) && (await isFree(port))) return port;
    throw new StepError(
      `Port ${port} (${variable}) is taken. Close the program that listens there, or set another port: ${variable}=${port + 1} npm start`,
    );
  }

  function release(): void {
    for (const lock of claimed.splice(0)) rmSync(lock, { force: true });
  }

  return { choose, take, release };
}

function* candidates(last: number | undefined, preferred: number | undefined): Generator<number> {
  if (last) yield last;
  if (preferred) for (let port = preferred; port < preferred + 10; port += 1) yield port;
  // Below the ports that systems hand out for outgoing connections, so that a restart finds them free.
  for (let tries = 0; tries < 100; tries += 1) yield randomInt(20_000, 30_000);
}

/** A listener on all addresses may leave room for one on loopback, so a connection is tried as well. */
async function isFree(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const server = createServer();
  try {
    if (await succeeds(once(socket, 'connect'))) return false;
    return await succeeds(once(server.listen(port, '127.0.0.1'), 'listening'));
  } finally {
    socket.destroy();
    server.close();
  }
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

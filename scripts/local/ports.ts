import { randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
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
 * it, in a folder that all users share.
 */
export function openPorts(home: Home, claims = join(tmpdir(), 'expert-relay-ports')): Ports {
  const file = home.file('ports.json');
  const remembered = readJson<Record<string, number>>(file) ?? {};
  const claimed = new Set<string>();

  function claim(port: number): boolean {
    const lock = join(claims, String(port));
    try {
      // Sticky and open to all, as /tmp itself.
      if (mkdirSync(claims, { recursive: true })) chmodSync(claims, 0o1777);
      if (!takeLock(lock, 0o644)) return false;
    } catch {
      // The claim of another user that has ended can be neither read nor replaced.
      return false;
    }
    claimed.add(lock);
    return true;
  }

  async function choose(name: string, preferred?: number): Promise<number> {
    for (const port of candidates(remembered[name], preferred)) {
      if (!claim(port) || !(await isFree(port))) continue;
      remembered[name] = port;
      writeJson(file, remembered);
      return port;
    }
    throw new StepError(
      `No free port was found for ${name} on 127.0.0.1. Close what listens on so many, then try again.`,
    );
  }

  async function take(port: number, variable: string): Promise<number> {
    if (claim(port) && (await isFree(port))) return port;
    throw new StepError(
      `Port ${port} (${variable}) is taken. Close the program that listens there, or set another port: ${variable}=${port + 1} npm start`,
    );
  }

  function release(): void {
    for (const lock of claimed) rmSync(lock, { force: true });
    claimed.clear();
  }

  return { choose, take, release };
}

function* candidates(last: number | undefined, preferred: number | undefined): Generator<number> {
  if (last) yield last;
  if (preferred) for (let port = preferred; port < preferred + 10; port += 1) yield port;
  // Below the ports that systems hand out for outgoing connections, so that a restart finds them free.
  for (let tries = 0; tries < 100; tries += 1) yield randomInt(20_000, 30_000);
}

/** A listener on all addresses may leave room for one on loopback alone, so a connection is tried as well. */
async function isFree(port: number): Promise<boolean> {
  return !(await accepts(port)) && (await canListen(port));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(true)));
  });
}

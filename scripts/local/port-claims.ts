import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify, isRunning, type KnownProcess } from '../processes/process-identity.ts';

/** Keeps two runs that start at the same moment from choosing the same free port. */
export interface PortClaims {
  claim(port: number): boolean;
  release(): void;
}

/** A claim is a file named for the port, good for as long as the process in it lives. */
export function openPortClaims(folder = join(tmpdir(), 'expert-relay-ports')): PortClaims {
  const mine = new Set<string>();

  function claim(port: number): boolean {
    const file = join(folder, String(port));
    const holder = read(file);
    if (holder && isRunning(holder)) return false;
    try {
      // Sticky and open to all, like /tmp itself: other users' runs keep their claims here too.
      if (mkdirSync(folder, { recursive: true })) chmodSync(folder, 0o1777);
      if (holder) rmSync(file);
      const text = JSON.stringify({ pid: process.pid, identity: identify(process.pid) });
      writeFileSync(file, text, { flag: 'wx', mode: 0o644 });
    } catch {
      return false;
    }
    mine.add(file);
    return true;
  }

  function release(): void {
    for (const file of mine) rmSync(file, { force: true });
    mine.clear();
  }

  return { claim, release };
}

function read(file: string): KnownProcess | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KnownProcess;
  } catch {
    return undefined;
  }
}

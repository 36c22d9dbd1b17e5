import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byThisProcess, claimFile } from './claim-file.ts';

/** Keeps two runs that start at the same moment from choosing the same free port. */
export interface PortClaims {
  claim(port: number): boolean;
  release(): void;
}

/** A claim is a file named for the port, valid as long as the process in it lives. */
export function openPortClaims(folder = join(tmpdir(), 'expert-relay-ports')): PortClaims {
  const mine = new Set<string>();

  function claim(port: number): boolean {
    const file = join(folder, String(port));
    try {
      // Sticky and open to all, like /tmp itself: other users' runs keep their claims here too.
      if (mkdirSync(folder, { recursive: true })) chmodSync(folder, 0o1777);
      if (!claimFile(file, byThisProcess)) return false;
    } catch {
      // Another user's claim can be neither read nor replaced.
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

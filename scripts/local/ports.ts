import { randomInt } from 'node:crypto';
import { StepError } from '../terminal/step-error.ts';
import type { Home } from './home.ts';
import { readJson, writeJson } from './json-file.ts';
import type { PortClaims } from './port-claims.ts';
import { portIsFree } from './port-is-free.ts';

/** Gives every listener a loopback port, the same one as last time as long as it is free. */
export interface Ports {
  choose(name: string, preferred?: number): Promise<number>;
  /** The port that a variable demands: it is not replaced by another one, and not remembered. */
  take(port: number, variable: string): Promise<number>;
}

export function openPorts(home: Home, claims: PortClaims): Ports {
  const file = home.file('ports.json');
  const remembered = readJson<Record<string, number>>(file) ?? {};

  async function choose(name: string, preferred?: number): Promise<number> {
    for (const port of candidates(remembered[name], preferred)) {
      // Claimed first: between a look and the use of a port somebody else may come.
      if (!claims.claim(port) || !(await portIsFree(port))) continue;
      remembered[name] = port;
      writeJson(file, remembered);
      return port;
    }
    throw new StepError(
      `No free port was found for ${name} on 127.0.0.1. Close what listens on so many, then try again.`,
    );
  }

  async function take(port: number, variable: string): Promise<number> {
    if (claims.claim(port) && (await portIsFree(port))) return port;
    throw new StepError(
      `Port ${port} (${variable}) is taken. Close the program that listens there, or set another port: ${variable}=${port + 1} npm start`,
    );
  }

  return { choose, take };
}

function* candidates(last: number | undefined, preferred: number | undefined): Generator<number> {
  if (last) yield last;
  if (preferred) for (let port = preferred; port < preferred + 10; port += 1) yield port;
  // Below the ports that systems hand out for outgoing connections, so that a restart finds them free.
  for (let tries = 0; tries < 100; tries += 1) yield randomInt(20_000, 30_000);
}

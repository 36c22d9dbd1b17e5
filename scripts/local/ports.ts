import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { StepError } from '../terminal/failure.ts';
import { type Home, readJson, writeJson } from './home.ts';

/** Gives every listener a loopback port, the same one as last time while it is free. */
export interface Ports {
  choose(name: string, preferred?: number): Promise<number>;
  /** The port that a variable demands: it is not replaced by another one, and not remembered. */
  take(port: number, variable: string): Promise<number>;
}

/** `anyPort` returns a port that may be free, and is asked again when it is not. */
export function openPorts(home: Home, anyPort: () => number | Promise<number> = randomPort): Ports {
  const file = home.file('ports.json');
  const remembered = readJson<Record<string, number>>(file) ?? {};
  /** Nothing listens yet on a port that was just chosen. */
  const chosen = new Set<number>();

  async function claim(port: number): Promise<boolean> {
    if (chosen.has(port) || !(await isFree(port))) return false;
    chosen.add(port);
    return true;
  }

  async function* candidates(last: number | undefined, preferred: number | undefined) {
    if (last) yield last;
    if (preferred) for (let port = preferred; port < preferred + 10; port += 1) yield port;
    for (let tries = 0; tries < 100; tries += 1) yield await anyPort();
  }

  async function choose(name: string, preferred?: number): Promise<number> {
    for await (const port of candidates(remembered[name], preferred)) {
      if (!(await claim(port))) continue;
      remembered[name] = port;
      writeJson(file, remembered);
      return port;
    }
    throw new StepError(
      `No free port was found for ${name} on 127.0.0.1. End programs that use ports, then try again.`,
    );
  }

  async function take(port: number, variable: string): Promise<number> {
    if (await claim(port)) return port;
    throw new StepError(
      `Port ${port} (${variable}) is taken. Close the program that listens there, or set another port: ${variable}=${port + 1} npm start`,
    );
  }

  return { choose, take };
}

/** Below the ports that systems hand out for outgoing connections, so that a restart finds them free. */
const randomPort = () => randomInt(20_000, 30_000);

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

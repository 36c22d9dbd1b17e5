import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { identify } from '../processes/process-identity.ts';
import { takeDemandedPorts } from './addresses.ts';
import { openHome } from './home.ts';
import { openPortClaims } from './port-claims.ts';
import { openPorts } from './ports.ts';

let folder: string;
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ports-'));
});

afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

const claimsOf = () => openPortClaims(join(folder, 'claims'));
const portsOf = (home: string, claims = claimsOf()) => openPorts(openHome(join(folder, home), {}), claims);

async function occupy(port: number, host = '127.0.0.1'): Promise<void> {
  const listening = createServer();
  server = listening;
  await new Promise<void>((resolve) => listening.listen(port, host, resolve));
}

describe('ports', () => {
  test('stay the same from one start to the next', async () => {
    const claims = claimsOf();
    const first = await portsOf('home', claims).choose('redis');
    claims.release();
    expect(await portsOf('home').choose('redis')).toBe(first);
  });

  test('move when another program has taken the one from last time', async () => {
    const claims = claimsOf();
    const first = await portsOf('home', claims).choose('redis');
    claims.release();
    await occupy(first, '0.0.0.0');
    expect(await portsOf('home').choose('redis')).not.toBe(first);
  });

  test('are the preferred one, or the next free one', async () => {
    const preferred = await portsOf('probe').choose('free');
    await occupy(preferred);
    expect(await portsOf('home').choose('gateway', preferred)).toBe(preferred + 1);
  });

  test('differ between two runs that choose at the same moment', async () => {
    const preferred = await portsOf('probe').choose('free');
    const [one, two] = await Promise.all([
      portsOf('one').choose('gateway', preferred + 20),
      portsOf('two').choose('gateway', preferred + 20),
    ]);
    expect(one).not.toBe(two);
  });
});

describe('a port that the user sets', () => {
  test('is taken, and the usual one comes back at the next start', async () => {
    const probes = claimsOf();
    const probe = portsOf('probe', probes);
    const [usual, wanted] = [await probe.choose('a'), await probe.choose('b')];
    probes.release();
    const demand = (env: NodeJS.ProcessEnv) => {
      const claims = claimsOf();
      const ports = portsOf('home', claims);
      const taken = takeDemandedPorts(ports, env).then(
        async ({ gateway }) => gateway ?? ports.choose('gateway', usual),
      );
      return taken.finally(() => claims.release());
    };
    expect(await demand({})).toBe(usual);
    expect(await demand({ RELAY_PORT: String(wanted) })).toBe(wanted);
    expect(await demand({})).toBe(usual);
  });

  test('that another program has stops the start with the name of the variable', async () => {
    const wanted = await portsOf('probe').choose('free');
    await occupy(wanted);
    await expect(takeDemandedPorts(portsOf('home'), { RELAY_HUB_PORT: String(wanted) })).rejects.toThrow(
      `Port ${wanted} (RELAY_HUB_PORT) is taken.`,
    );
  });

  test.each(['0', '65536', '80a', '-1'])('must be one: %s', async (text) => {
    await expect(takeDemandedPorts(portsOf('home'), { RELAY_PORT: text })).rejects.toThrow(
      `RELAY_PORT is "${text}". Set it to a port from 1 to 65535.`,
    );
  });
});

describe('a claim', () => {
  const write = (port: number, holder: object) => {
    const claims = claimsOf();
    claims.claim(1);
    writeFileSync(join(folder, 'claims', String(port)), JSON.stringify(holder));
    return claims;
  };

  test('of a running process holds', () => {
    const holder = { pid: process.pid, identity: identify(process.pid) };
    expect(write(20_001, holder).claim(20_001)).toBe(false);
  });

  test('of a process that is gone does not', () => {
    expect(write(20_001, { pid: process.pid, identity: 'an earlier life' }).claim(20_001)).toBe(true);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chooseAddresses, takePublicPorts } from './addresses.ts';
import { openHome } from './home.ts';
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

const portsOf = (home: string) => openPorts(openHome(join(folder, home), {}));

async function occupy(port: number, host = '127.0.0.1'): Promise<void> {
  const listening = createServer();
  server = listening;
  await new Promise<void>((resolve) => listening.listen(port, host, resolve));
}

describe('ports', () => {
  test('stay the same from one start to the next', async () => {
    const before = portsOf('home');
    const first = await before.choose('redis');
    expect(await portsOf('home').choose('redis')).toBe(first);
  });

  test('move when another program has taken the one from last time', async () => {
    const before = portsOf('home');
    const first = await before.choose('redis');
    await occupy(first, '0.0.0.0');
    expect(await portsOf('home').choose('redis')).not.toBe(first);
  });

  test('are the preferred one, or the next free one', async () => {
    const preferred = await portsOf('probe').choose('free');
    await occupy(preferred);
    expect(await portsOf('home').choose('gateway', preferred)).toBe(preferred + 1);
  });

  test('differ between listeners of a run that do not listen yet', async () => {
    const ports = portsOf('home');
    const preferred = await portsOf('probe').choose('free');
    expect(await ports.take(preferred, 'RELAY_PORT')).toBe(preferred);
    expect(await ports.choose('hub', preferred)).toBe(preferred + 1);
  });
});

test('without the environment of a user, no address has a usual port', async () => {
  let next = 20_000;
  const ports = openPorts(openHome(join(folder, 'home'), {}), () => next++);
  const addresses = await chooseAddresses(ports);
  for (const { port = next, opsPort } of Object.values(addresses)) {
    expect(Math.min(port, opsPort)).toBeGreaterThanOrEqual(20_000);
  }
});

describe('a port that the user sets', () => {
  test('is taken, and the one of before comes back at the next start', async () => {
    const wanted = await portsOf('probe').choose('free');
    const gatewayPort = async (env: NodeJS.ProcessEnv) => {
      const ports = portsOf('home');
      const { gateway } = await chooseAddresses(ports, await takePublicPorts(ports, env));
      return gateway.port;
    };
    const usual = await gatewayPort({});
    expect(await gatewayPort({ RELAY_PORT: String(wanted + 1) })).toBe(wanted + 1);
    expect(await gatewayPort({})).toBe(usual);
  });

  test('is refused early, and is no port of another listener of the run', async () => {
    const wanted = await portsOf('probe').choose('free');
    const [ports, env] = [portsOf('home'), { RELAY_PORT: String(wanted) }];
    const taken = await takePublicPorts(ports, env);
    expect(await ports.choose('redis', wanted)).not.toBe(wanted);
    expect((await chooseAddresses(ports, taken)).gateway.port).toBe(wanted);
    await occupy(wanted);
    await expect(takePublicPorts(portsOf('home'), env)).rejects.toThrow('(RELAY_PORT) is taken.');
  });

  test('that another program has stops the start with the name of the variable', async () => {
    const wanted = await portsOf('probe').choose('free');
    await occupy(wanted);
    await expect(takePublicPorts(portsOf('home'), { RELAY_HUB_PORT: String(wanted) })).rejects.toThrow(
      `Port ${wanted} (RELAY_HUB_PORT) is taken.`,
    );
  });

  test.each(['0', '65536', '80a', '-1'])('must be one: %s', async (text) => {
    await expect(takePublicPorts(portsOf('home'), { RELAY_PORT: text })).rejects.toThrow(
      `RELAY_PORT is "${text}". Set it to a port from 1 to 65535.`,
    );
  });
});

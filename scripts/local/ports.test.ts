import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { identify } from '../processes/running-process.ts';
import { chooseAddresses } from './addresses.ts';
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

const portsOf = (home: string) => openPorts(openHome(join(folder, home), {}), join(folder, 'claims'));

async function occupy(port: number, host = '127.0.0.1'): Promise<void> {
  const listening = createServer();
  server = listening;
  await new Promise<void>((resolve) => listening.listen(port, host, resolve));
}

describe('ports', () => {
  test('stay the same from one start to the next', async () => {
    const before = portsOf('home');
    const first = await before.choose('redis');
    before.release();
    expect(await portsOf('home').choose('redis')).toBe(first);
  });

  test('move when another program has taken the one from last time', async () => {
    const before = portsOf('home');
    const first = await before.choose('redis');
    before.release();
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
  test('is taken, and the one of before comes back at the next start', async () => {
    const wanted = await portsOf('probe').choose('free');
    const gatewayPort = async (env: NodeJS.ProcessEnv) => {
      const ports = portsOf('home');
      const { gateway } = await chooseAddresses(ports, env).finally(() => ports.release());
      return gateway.port;
    };
    const usual = await gatewayPort({});
    expect(await gatewayPort({ RELAY_PORT: String(wanted + 1) })).toBe(wanted + 1);
    expect(await gatewayPort({})).toBe(usual);
  });

  test('that another program has stops the start with the name of the variable', async () => {
    const wanted = await portsOf('probe').choose('free');
    await occupy(wanted);
    await expect(chooseAddresses(portsOf('home'), { RELAY_HUB_PORT: String(wanted) })).rejects.toThrow(
      `Port ${wanted} (RELAY_HUB_PORT) is taken.`,
    );
  });

  test.each(['0', '65536', '80a', '-1'])('must be one: %s', async (text) => {
    await expect(chooseAddresses(portsOf('home'), { RELAY_PORT: text })).rejects.toThrow(
      `RELAY_PORT is "${text}". Set it to a port from 1 to 65535.`,
    );
  });
});

test.each([
  ['holds while the process runs', [process.pid, identify(process.pid)], false],
  ['ends with the process', [process.pid, 'an earlier start'], true],
])('a claim %s', async (_name, holder, isFree) => {
  const port = await portsOf('probe').choose('free');
  writeFileSync(join(folder, 'claims', String(port)), holder.join('\n'));
  const taking = portsOf('home').take(port, 'RELAY_PORT');
  if (isFree) expect(await taking).toBe(port);
  else await expect(taking).rejects.toThrow('is taken');
});

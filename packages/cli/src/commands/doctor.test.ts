import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reservePort } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openTwoSides, type TwoSides } from '../testing/two-sides.ts';

let sides: TwoSides;
beforeAll(async () => {
  sides = await openTwoSides();
});
afterAll(() => sides.stop());

const closedAddress = async () => `http://127.0.0.1:${await reservePort()}`;

interface Check {
  state: string;
  about: string;
  message: string;
  next?: string;
}

/** What it finds, by name; the exit code must fit. */
async function examine(env: Readonly<Record<string, string>>): Promise<Record<string, Check>> {
  const { code, stdout } = await sides.run(['doctor', '--json'], { env });
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
  expect(code).toBe(ok ? 0 : 1);
  expect(ok).toBe(checks.every(({ state }) => state !== 'fail'));
  return Object.fromEntries(checks.map((check) => [check.about, check]));
}

describe('relay doctor', () => {
  test('finds everything in order, with either key', async () => {
    for (const env of [sides.agent, sides.expert]) {
      const { code, stdout } = await sides.run(['doctor'], { env });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('fail') });
      for (const about of ['folder', 'gateway', 'clock', 'key', 'hub', 'stream']) {
        expect(stdout).toMatch(new RegExp(`^ok +${about} `, 'm'));
      }
    }
  });

  test('a relay that is away, or is none', async () => {
    const away = await examine({ ...sides.agent, RELAY_URL: await closedAddress() });
    expect(away.gateway).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('refuses connections'),
    });
    const hub = await examine({ ...sides.agent, RELAY_URL: sides.relay.hubUrl });
    expect(hub.gateway).toMatchObject({
      state: 'fail',
      message: `${sides.relay.hubUrl} is the address of an event hub`,
    });
  });

  test('a clock that is off by a day', async () => {
    const day = 24 * 3_600_000;
    const server = createServer((_request, response) => {
      const timestamp = new Date(Date.now() - day).toISOString();
      response.end(JSON.stringify({ status: 'ok', version: '1.0.0', timestamp }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { clock } = await examine({ ...sides.agent, RELAY_URL: `http://127.0.0.1:${port}` });
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    expect(clock).toMatchObject({ state: 'warn', message: "24 hours ahead of the relay's" });
  });

  test('a relay that breaks calls off: nobody is sent to the doctor by the doctor', async () => {
    const server = createServer((request, response) => {
      const timestamp = new Date().toISOString();
      if (request.url !== '/api/health') request.socket.destroy();
      else response.end(JSON.stringify({ status: 'ok', version: '1.0.0', timestamp }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = { ...sides.agent, RELAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const { stdout, stderr } = await sides.run(['doctor'], { env });
    expect(stdout).toMatch(/fail +key +The relay at .* does not answer\./);
    expect(stdout + stderr).not.toContain('relay doctor');
    expect((await sides.run(['whoami'], { env })).stderr).toContain('See what is wrong: relay doctor');
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });

  test('a setting that is malformed', async () => {
    const { settings } = await examine({ ...sides.agent, RELAY_URL: 'nonsense' });
    expect(settings).toMatchObject({ state: 'fail', message: expect.stringContaining('RELAY_URL') });
  });

  test('a key that is revoked, of another relay, or not set', async () => {
    const other = `${sides.agent.RELAY_API_KEY?.slice(0, -1)}${sides.agent.RELAY_API_KEY?.endsWith('0') ? '1' : '0'}`;
    const { key } = await examine({ ...sides.agent, RELAY_API_KEY: other });
    expect(key).toMatchObject({ state: 'fail', next: expect.stringContaining('operator of the relay') });
    const { settings } = await examine({ ...sides.agent, RELAY_API_KEY: '' });
    expect(settings).toMatchObject({ state: 'fail', message: 'RELAY_API_KEY is not set.' });
  });

  test('a hub that is away: answers are polled, so it only warns', async () => {
    const { stream } = await examine({ ...sides.agent, RELAY_HUB_URL: await closedAddress() });
    expect(stream).toMatchObject({ state: 'warn', next: expect.stringContaining('by polling') });
  });

  test('a folder that others can enter', async () => {
    const folder = `${sides.folder}/open`;
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const found = await examine({ ...sides.agent, RELAY_CONFIG_DIR: folder });
    expect(found.folder).toMatchObject({ state: 'fail', message: expect.stringContaining('chmod 700') });
  });

  test('an expert without keys is told to make them', async () => {
    expect((await examine(sides.expert)).encryption).toMatchObject({
      state: 'warn',
      next: 'Make them: relay keys make',
    });
  });
});

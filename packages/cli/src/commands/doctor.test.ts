import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, reservePort } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { useTestCli } from '../testing/test-cli.ts';

const cli = useTestCli();

const closedAddress = async () => `http://127.0.0.1:${await reservePort()}`;

interface Check {
  state: string;
  about: string;
  message: string;
  next?: string;
}

/** Runs `relay doctor`. It is repeated while a check gives up after ten seconds, since a busy machine may stall that long. */
const runDoctor = (env: Readonly<Record<string, string>>, ...options: string[]) =>
  eventually('a run in which every address answers in time', async () => {
    const ended = await cli.run(['doctor', ...options], { env });
    return /did\s+not\s+answer\s+in\s+time|may\s+hold\s+streams\s+back/.test(ended.stdout)
      ? undefined
      : ended;
  });

/** The checks by name. Also checks that the exit code fits them. */
async function examine(env: Readonly<Record<string, string>>): Promise<Record<string, Check>> {
  const { code, stdout } = await runDoctor(env, '--json');
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
  expect(code).toBe(ok ? 0 : 1);
  expect(ok).toBe(checks.every(({ state }) => state !== 'fail'));
  return Object.fromEntries(checks.map((check) => [check.about, check]));
}

describe('relay doctor', () => {
  test.concurrent('finds no error, with either kind of key', async () => {
    for (const env of [cli.agent, cli.expert]) {
      const { code, stdout } = await runDoctor(env);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('fail') });
      for (const about of ['folder', 'gateway', 'clock', 'key', 'hub', 'stream']) {
        expect(stdout).toMatch(new RegExp(`^ok +${about} `, 'm'));
      }
    }
  });

  test.concurrent('finds an address where nothing answers, or where something else answers', async () => {
    const away = await examine({ ...cli.agent, RELAY_URL: await closedAddress() });
    expect(away.gateway).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('refuses connections'),
    });
    const hub = await examine({ ...cli.agent, RELAY_URL: cli.relay.hubUrl });
    expect(hub.gateway).toMatchObject({
      state: 'fail',
      message: `${cli.relay.hubUrl} is the address of an event hub`,
    });
  });

  test.concurrent('finds a clock that is wrong by a day', async () => {
    const day = 24 * 3_600_000;
    const server = createServer((_request, response) => {
      const timestamp = new Date(Date.now() - day).toISOString();
      response.end(JSON.stringify({ status: 'ok', version: '1.0.0', timestamp }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { clock } = await examine({ ...cli.agent, RELAY_URL: `http://127.0.0.1:${port}` });
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    expect(clock).toMatchObject({ state: 'warn', message: "24 hours ahead of the relay's" });
  });

  test.concurrent('finds a relay that closes connections, and does not advise to run relay doctor', async () => {
    const server = createServer((request, response) => {
      const timestamp = new Date().toISOString();
      if (request.url !== '/api/health') request.socket.destroy();
      else response.end(JSON.stringify({ status: 'ok', version: '1.0.0', timestamp }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = { ...cli.agent, RELAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const { stdout, stderr } = await runDoctor(env);
    expect(stdout).toMatch(/fail +key +The relay at .* cannot be reached\./);
    expect(stdout + stderr).not.toContain('relay doctor');
    expect((await cli.run(['whoami'], { env })).stderr).toContain('See what is wrong: relay doctor');
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });

  test.concurrent('finds a malformed setting', async () => {
    const { settings } = await examine({ ...cli.agent, RELAY_URL: 'nonsense' });
    expect(settings).toMatchObject({ state: 'fail', message: expect.stringContaining('RELAY_URL') });
  });

  test.concurrent('finds a key that is invalid or not set', async () => {
    const other = `${cli.agent.RELAY_API_KEY?.slice(0, -1)}${cli.agent.RELAY_API_KEY?.endsWith('0') ? '1' : '0'}`;
    const { key } = await examine({ ...cli.agent, RELAY_API_KEY: other });
    expect(key).toMatchObject({ state: 'fail', next: expect.stringContaining('operator of the relay') });
    const { settings } = await examine({ ...cli.agent, RELAY_API_KEY: '' });
    expect(settings).toMatchObject({ state: 'fail', message: 'RELAY_API_KEY is not set.' });
  });

  test.concurrent('warns of a hub that cannot be reached, since answers are polled then', async () => {
    const { stream } = await examine({ ...cli.agent, RELAY_HUB_URL: await closedAddress() });
    expect(stream).toMatchObject({ state: 'warn', next: expect.stringContaining('by polling') });
  });

  test.concurrent('finds a folder that others can enter', async () => {
    const folder = `${cli.folder}/open`;
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const found = await examine({ ...cli.agent, RELAY_CONFIG_DIR: folder });
    expect(found.folder).toMatchObject({ state: 'fail', message: expect.stringContaining('chmod 700') });
  });

  test.concurrent('warns an expert without keys', async () => {
    expect((await examine(cli.expert)).encryption).toMatchObject({
      state: 'warn',
      next: 'Make them: relay keys make',
    });
  });
});

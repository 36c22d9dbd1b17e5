import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { claudeInputs } from '../testing/hook-inputs.ts';
import { later, useAgent, useTestCli } from '../testing/test-cli.ts';

const cli = useTestCli();
useAgent(cli);

const whoami = async (env: Readonly<Record<string, string>>) => {
  const { code, stdout } = await cli.run(['whoami', '--json'], { env });
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

describe('relay whoami', () => {
  test('names the key, the addresses, and whose answers count', async () => {
    const expert = await whoami(cli.expert);
    const addresses = { url: cli.relay.gatewayUrl, hubUrl: cli.relay.hubUrl };
    expect(expert).toMatchObject({ kind: 'provider', fingerprint: expect.any(String), ...addresses });
    expect(await whoami(cli.agent)).toMatchObject({ kind: 'consumer', knownExperts: [], ...addresses });
    const refCode = await cli.ask('Who?');
    await cli.answer(refCode, 'I.');
    await cli.asAgent('ask', '--resume', refCode);
    expect(await whoami(cli.agent)).toMatchObject({ knownExperts: [expert.fingerprint] });
    const expecting = { ...cli.agent, RELAY_EXPERT: expert.fingerprint };
    expect(await whoami(expecting)).toMatchObject({ expected: [expert.fingerprint] });
    expect((await cli.run(['whoami'], { env: expecting })).stdout).toMatch(
      `Hub     ${cli.relay.hubUrl}\nExpert  ${expert.fingerprint} (no other counts)\n`,
    );
  });
});

describe('relay open', () => {
  const page = () => `${cli.relay.gatewayUrl}/dashboard/code/HS-7KQ2M9XD`;

  test('starts the browser of BROWSER with the page of a request', async () => {
    const [browser, opened] = [join(cli.folder, 'browser'), join(cli.folder, 'opened')];
    writeFileSync(browser, `#!/bin/sh\necho "$*" > '${opened}'\n`);
    chmodSync(browser, 0o755);
    const { code, stdout, stderr } = await cli.run(['open', '7kq2m9xd'], {
      env: { ...cli.agent, BROWSER: browser },
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${page()}\n`, stderr: '' });
    const seen = () => readFileSync(opened, { encoding: 'utf8', flag: 'a+' });
    expect(await eventually('the browser', () => seen() || undefined)).toBe(`${page()}\n`);
  });

  test('prints the address where there is no browser', async () => {
    const env = { RELAY_URL: cli.relay.gatewayUrl, BROWSER: '/nonexistent/browser' };
    const { code, stdout, stderr } = await cli.run(['open', 'HS-7KQ2M9XD'], { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${page()}\n` });
    expect(stderr).toContain('There is no browser here');
  });
});

describe('relay login', () => {
  /** A machine without variables, and what its shell can run. */
  const machine = (name: string) => {
    const env = { RELAY_CONFIG_DIR: join(cli.folder, name) };
    const login = (key = '', ...words: string[]) =>
      cli.run(['login', ...words], { env: { ...env, RELAY_URL: cli.relay.gatewayUrl }, input: `${key}\n` });
    return { env, login, run: (...args: string[]) => cli.run(args, { env }) };
  };

  test('lets one shell ask as an agent and answer as an expert', async () => {
    const { env, login, run } = machine('both');
    for (const side of [cli.agent, cli.expert]) {
      const { code, stdout, stderr } = await login(side.RELAY_API_KEY);
      expect({ code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(cli.relay.gatewayUrl),
      });
      expect(stdout + stderr).not.toContain(side.RELAY_API_KEY);
    }
    const folder = join(env.RELAY_CONFIG_DIR, 'profiles');
    expect(readdirSync(folder).map((file) => statSync(join(folder, file)).mode & 0o777)).toEqual([
      0o600, 0o600,
    ]);
    const { stdout: code } = await run('ask', 'One shell?', '--no-wait', '--plaintext');
    expect((await run('show', code.trim())).stdout).toContain('One shell?');
    const answering = ['answer', code.trim(), 'Yes.', '--plaintext'];
    expect(await cli.run(answering, { env, ...later })).toMatchObject({ code: 0 });
    expect((await run('ask', '--resume', code.trim(), '--accept-unprotected')).stdout).toBe('Yes.\n');
    const { kind, profile, others } = JSON.parse((await run('whoami', '--json')).stdout);
    expect({ kind, profile, others }).toEqual({ kind: 'consumer', profile: 'agent', others: ['expert'] });
    expect((await run('whoami', '--profile', 'expert')).stdout).toMatch(/an expert[\s\S]*expert's profile/);
    expect(JSON.parse((await run('doctor', '--json')).stdout).checks).toContainEqual(
      expect.objectContaining({ about: 'settings', message: expect.stringContaining("agent's profile") }),
    );
    // `relay show` alone would run as the expert, and `relay close` as the agent.
    const { stdout: second } = await run('ask', 'To close?', '--no-wait');
    await run('close', '--profile', 'expert', second.trim());
    const ended = await run('ask', '--resume', second.trim());
    expect(ended.stderr).toContain(`relay show --profile agent ${second.trim()}`);
    expect((await run('logout', 'agent')).stdout).toBe("The agent's profile is removed.\n");
    expect((await run('ask', 'And now?')).code).toBe(2);
    expect(JSON.parse((await run('logout', '--json')).stdout)).toMatchObject({ removed: ['expert'] });
  });

  test('stores no profile that counts while a variable has an address or a key', async () => {
    const { env, login } = machine('variables');
    expect((await login(cli.agent.RELAY_API_KEY)).stderr).toContain('wins');
    const both = { ...cli.expert, ...env };
    expect((await cli.run(['whoami'], { env: both })).stdout).toMatch(/an expert[\s\S]*the environment/);
    // The stored key is not sent to another address.
    const elsewhere = await cli.run(['whoami'], { env: { ...env, RELAY_URL: 'http://127.0.0.1:9' } });
    expect(elsewhere).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('RELAY_API_KEY is not set.'),
    });
    const contradicting = await cli.run(['whoami', '--profile', 'agent'], { env: both });
    expect(contradicting).toMatchObject({ code: 2, stderr: expect.stringContaining('Unset both') });
  });

  test("stores an agent's expert, and RELAY_EXPERT wins", async () => {
    const { env, login, run } = machine('named');
    const { fingerprint } = await whoami(cli.expert);
    await login(cli.agent.RELAY_API_KEY, '--expert', fingerprint);
    expect(JSON.parse((await run('whoami', '--json')).stdout)).toMatchObject({ expected: [fingerprint] });
    const hook = cli.start(['hook'], { env, input: JSON.stringify(claudeInputs.edit) });
    const [refCode] = await hook.printed(/HS-\w{8}/);
    expect(await cli.answer(refCode, '--approve')).toMatchObject({ code: 0 });
    expect((await hook.ended).stdout).toContain('"allow"');
    const other = fingerprint.replaceAll(/\d/g, '1');
    expect(await whoami({ ...env, RELAY_EXPERT: other })).toMatchObject({ expected: [other] });
    expect(await login(cli.expert.RELAY_API_KEY, '--expert', fingerprint)).toMatchObject({ code: 2 });
    expect(await login(cli.agent.RELAY_API_KEY, '--expert', '12')).toMatchObject({ code: 2 });
  });

  test('does not show the key while it is typed', async () => {
    const { env } = machine('typed');
    const { RELAY_API_KEY: key = '' } = cli.expert;
    const run = cli.start(['login'], { env, columns: 100 });
    await run.printed(/Address of the relay:/);
    run.type(`${cli.relay.gatewayUrl}\n`);
    await run.printed(/Key \(it is not shown\):/);
    run.type(`${key}\n`);
    const { code, stdout } = await run.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Logged in as the expert') });
    expect(stdout).not.toContain(key);
  });

  test.each([
    ['a key that the relay does not know', `hs_${'a'.repeat(38)}`, [], 6],
    ['no key', '', [], 2],
    ['a word that is no key', 'secret', [], 2],
    ['an address that is none', `hs_${'a'.repeat(38)}`, ['relay.example.com'], 2],
  ])('refuses %s, and stores nothing', async (_what, key, words, expected) => {
    const { login, run } = machine('refused');
    const { code, stderr } = await login(key, ...words);
    expect(code).toBe(expected);
    if (key) expect(stderr).not.toContain(key);
    expect((await run('logout')).stdout).toBe('No profile was stored.\n');
  });

  test('refuses the address of something else', async () => {
    const { login } = machine('hub');
    const { code, stderr } = await login(cli.agent.RELAY_API_KEY, cli.relay.hubUrl);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/is the address of an\s+event hub/),
    });
  });

  test('reports a damaged profile', async () => {
    const { env, login, run } = machine('damaged');
    await login(cli.agent.RELAY_API_KEY);
    const folder = join(env.RELAY_CONFIG_DIR, 'profiles');
    for (const file of readdirSync(folder)) writeFileSync(join(folder, file), '{}', { mode: 0o600 });
    expect(await run('whoami')).toMatchObject({ code: 10, stderr: expect.stringContaining('damaged') });
    expect((await login(cli.agent.RELAY_API_KEY)).code).toBe(0);
    expect((await run('whoami')).code).toBe(0);
  });
});

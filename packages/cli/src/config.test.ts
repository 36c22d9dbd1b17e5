import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from './config.ts';
import { requireRelay } from './relay/require-relay.ts';

const consumerKey = `hs_${'a'.repeat(38)}`;
const providerKey = `hs_prov_${'b'.repeat(38)}`;

test('reads all settings, and removes the last slash of an address', () => {
  const expert = Array(8).fill('12345').join(' ');
  expect(
    readConfig({
      RELAY_URL: 'https://relay.example/',
      RELAY_HUB_URL: 'https://hub.example',
      RELAY_API_KEY: ` ${providerKey}\n`,
      RELAY_EXPERT: expert,
      RELAY_CONFIG_DIR: '/x',
      BROWSER: 'firefox',
      NO_COLOR: '1',
    }),
  ).toEqual({
    url: 'https://relay.example',
    hubUrl: 'https://hub.example',
    apiKey: providerKey,
    kind: 'provider',
    expert: [expert],
    folder: '/x',
    colours: false,
    browser: 'firefox',
  });
});

test.each([
  ['/xdg', '/xdg/expert-relay'],
  ['relative', join(homedir(), '.config/expert-relay')],
  [undefined, join(homedir(), '.config/expert-relay')],
])('XDG_CONFIG_HOME=%s', (xdg, folder) => {
  expect(readConfig({ XDG_CONFIG_HOME: xdg }).folder).toBe(folder);
});

test.each([
  ['RELAY_URL', 'elsewhere.example'],
  ['RELAY_URL', 'ftp://relay.example'],
  ['RELAY_URL', 'https://me:secret@relay.example'],
  ['RELAY_URL', 'https://relay.example?x=1'],
  ['RELAY_HUB_URL', 'http://'],
  ['RELAY_API_KEY', 'hs_secret'],
  ['RELAY_API_KEY', `${consumerKey}x`],
  ['RELAY_EXPERT', '12345'],
])('%s=%s is refused with the name and without the value', (name, value) => {
  const {
    wrong,
    folder: _folder,
    colours: _colours,
    browser: _browser,
    ...settings
  } = readConfig({ [name]: value });
  expect(wrong).toMatchObject({ outcome: 'usage', message: expect.stringContaining(name) });
  expect(wrong?.message).not.toContain(value);
  expect(settings).toEqual({});
});

test.each(['', ' '])('RELAY_EXPERT=%j is refused: it is no wish for any expert', (RELAY_EXPERT) => {
  const { wrong, expert } = readConfig({ RELAY_EXPERT });
  expect(expert).toBeUndefined();
  expect(wrong).toMatchObject({ outcome: 'usage', message: expect.stringMatching(/^RELAY_EXPERT is empty/) });
});

test.each(['', ' '])('RELAY_AGENT_SECRET=%j is refused: it is no wish for another secret', (value) => {
  const { wrong, agentSecret } = readConfig({ RELAY_AGENT_SECRET: value });
  expect(agentSecret).toBeUndefined();
  const message = expect.stringMatching(/^RELAY_AGENT_SECRET is empty/);
  expect(wrong).toMatchObject({ outcome: 'usage', message });
});

describe('a missing setting', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-config-'));
    mkdirSync(join(folder, 'in/it'), { recursive: true });
    mkdirSync(join(folder, '.relay'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const demand = (kind: 'consumer' | 'provider') => () =>
    requireRelay(readConfig({ RELAY_API_KEY: consumerKey }), { kind, folder: join(folder, 'in/it') });
  const run = (changes: object = {}) =>
    writeFileSync(
      join(folder, '.relay/dev.json'),
      JSON.stringify({ gatewayUrl: 'http://127.0.0.1:8080', consumerKey, providerKey, ...changes }),
    );

  test('is named in the error', () => {
    expect(demand('consumer')).toThrow('RELAY_URL is not set.\nSet the address of your relay');
  });

  test('is suggested, and never used, if there is a local run', () => {
    run();
    expect(demand('consumer')).toThrow(
      `\nexport RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=${consumerKey}`,
    );
    expect(demand('provider')).toThrow(
      `\nexport RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=${providerKey}`,
    );
  });

  test.each([{ gatewayUrl: 'https://evil.example' }, { consumerKey: 'x; rm -rf /' }])(
    'is not suggested from %j',
    (changes) => {
      run(changes);
      expect(demand('consumer')).toThrow('relay help environment');
    },
  );
});

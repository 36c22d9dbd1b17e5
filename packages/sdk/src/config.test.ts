import { expect, test } from '@jest/globals';
import { withConnection, withEnvironment } from './config.ts';
import { makeRoot } from './crypto/index.ts';
import { createExpert, type ExpertOptions } from './expert/index.ts';
import { createRelay } from './index.ts';

const fingerprint = '12345 '.repeat(8).trim();
const other = '54321 '.repeat(8).trim();
const all = {
  RELAY_URL: ' https://relay.example ',
  RELAY_API_KEY: 'hs_a',
  RELAY_HUB_URL: 'https://hub.example',
  RELAY_EXPERT: `${fingerprint}, ${other}`,
  RELAY_AGENT_NAME: 'deploy bot',
  RELAY_AGENT_SECRET: 'AAAA',
};
const url = 'https://other.example';
const refused = (message: string) =>
  expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(message) });

test('what is left out is read from the environment', () => {
  expect(withEnvironment({}, all)).toEqual({
    url: 'https://relay.example',
    apiKey: 'hs_a',
    hubUrl: 'https://hub.example',
    expert: [fingerprint, ` ${other}`],
    agentName: 'deploy bot',
    secret: 'AAAA',
  });
  expect(withEnvironment({ url, apiKey: 'hs_b' }, {})).toMatchObject({ url, apiKey: 'hs_b' });
});

test('what is given comes first, and the hub of the environment belongs to its relay', () => {
  const given = { url, apiKey: 'hs_b', expert: other, agentName: 'mine', secret: 'BBBB' };
  expect(withEnvironment(given, all)).toEqual({ ...given, hubUrl: undefined });
  const hubUrl = 'https://hub.other.example';
  expect(withEnvironment({ hubUrl }, all)).toMatchObject({ url: 'https://relay.example', hubUrl });
});

test('the API key of the environment belongs to its relay', () => {
  const message = 'Give `apiKey` with `url`: RELAY_API_KEY belongs to RELAY_URL.';
  expect(() => withEnvironment({ url }, all)).toThrow(refused(message));
  for (const [given, RELAY_URL] of [
    ['https://relay.example', ' https://relay.example '],
    ['https://relay.example', undefined],
    ['https://relay.example', ' '],
  ] as const)
    expect(withEnvironment({ url: given }, { ...all, RELAY_URL })).toMatchObject({ apiKey: 'hs_a' });
});

test.each(['', ' ', '\t'])('RELAY_AGENT_SECRET=%j is an error, and no wish for another secret', (value) => {
  const env = { ...all, RELAY_AGENT_SECRET: value };
  expect(() => withEnvironment({}, env)).toThrow(refused('RELAY_AGENT_SECRET is empty'));
  expect(withEnvironment({ secret: 'BBBB' }, env)).toMatchObject({ secret: 'BBBB' });
});

test.each(['', ' ', '\t'])('RELAY_EXPERT=%j is an error, and no wish for any expert', (RELAY_EXPERT) => {
  expect(() => withEnvironment({}, { ...all, RELAY_EXPERT })).toThrow(refused('RELAY_EXPERT is empty'));
  expect(withEnvironment({ expert: other }, { ...all, RELAY_EXPERT })).toMatchObject({ expert: other });
});

test.each([
  ['url', { RELAY_API_KEY: 'hs_a' }, 'Set RELAY_URL, or give `url`.'],
  ['url', { RELAY_API_KEY: 'hs_a', RELAY_URL: ' ' }, 'Set RELAY_URL'],
  ['apiKey', { RELAY_URL: url }, 'Set RELAY_API_KEY, or give `apiKey`.'],
])('without a value of %s, it says which variable to set', (_, env, message) => {
  expect(() => withEnvironment({}, env)).toThrow(refused(message));
});

test.each([
  ['url', { url: '' }, '`url` is empty.'],
  ['apiKey', { apiKey: '' }, '`apiKey` is empty.'],
  ['apiKey', { apiKey: ' ' }, '`apiKey` is empty.'],
  ['expert', { expert: '' }, '`expert` is empty.'],
  ['expert', { expert: [fingerprint, ' '] }, '`expert` is empty.'],
  ['expert', { expert: [] }, '`expert` is empty.'],
])('an empty %s of an agent is named', (_, given, message) => {
  expect(() => createRelay({ url, apiKey: 'hs_a', ...given })).toThrow(refused(message));
});

test('an option that is null counts as left out', () => {
  const given = { url, apiKey: 'hs_a', expert: null } as unknown as { url: string };
  expect(withEnvironment(given, all)).toMatchObject({ expert: [fingerprint, ` ${other}`] });
  createRelay(given).stop();
});

test('an expert reads its relay, key and hub from the environment, and nothing else', () => {
  const given: ExpertOptions = { root: makeRoot() };
  expect(withConnection(given, all)).toEqual({
    ...given,
    url: 'https://relay.example',
    apiKey: 'hs_a',
    hubUrl: 'https://hub.example',
  });
});

test('an empty key or address of an expert is named, too', () => {
  const root = makeRoot();
  expect(() => createExpert({ url, apiKey: '', root })).toThrow(refused('`apiKey` is empty.'));
  expect(() => createExpert({ url: ' ', apiKey: 'hs_prov_a', root })).toThrow(refused('`url` is empty.'));
});

import { expect, test } from '@jest/globals';
import { unknownSettings } from './index.ts';

test('an unknown name is reported with the nearest known one', () => {
  expect(unknownSettings({ RELAY_RATE_LIMT_API: '30', RELAY_RETENTON: '1d', PATH: '/bin' })).toEqual([
    'RELAY_RATE_LIMT_API is not a setting of Expert Relay and has no effect. The nearest name is RELAY_RATE_LIMIT_API; those of services are in docs/configuration.md, those of clients in `relay help environment`.',
    expect.stringContaining('The nearest name is RELAY_RETENTION;'),
  ]);
});

test('settings of other services, of the local run, of clients and of tests are known', () => {
  const names = [
    'RELAY_HUB_RETRY',
    'RELAY_PURGE_HOURS',
    'RELAY_HOME',
    'RELAY_HUB_PORT',
    'RELAY_URL',
    'RELAY_EXPERT',
  ];
  const env = Object.fromEntries([...names, 'RELAY_TEST_URL', 'RELAY_FUZZ_SEED'].map((name) => [name, 'x']));
  expect(unknownSettings(env)).toEqual([]);
});

import { describe, expect, test } from '@jest/globals';
import {
  ConfigError,
  choice,
  duration,
  flag,
  integer,
  keysWithIds,
  list,
  listVariables,
  read,
  secret,
  text,
  url,
} from './index.ts';

const variables = {
  port: integer('PORT', { help: 'The port.', default: 8080, min: 1, max: 65535 }),
  limits: {
    ttl: duration('TTL', { help: 'How long.', default: '72h', min: '1s' }),
    origins: list('ORIGINS', { help: 'Who may.', pattern: /^https:/, expected: 'https origins' }),
  },
  level: choice('LEVEL', { help: 'How loud.', options: ['info', 'debug'], default: 'info' }),
  open: flag('OPEN', { help: 'Whether.', default: false }),
  server: url('SERVER_URL', { help: 'Where.', protocols: ['redis:'] }),
  other: url('OTHER_URL', { help: 'Where else.', protocols: ['redis:'], optional: true }),
  key: secret('KEY', { help: 'Signs.', minLength: 8 }),
  name: text('NAME', { help: 'Who.', default: 'relay', pattern: /^[a-z]+$/, expected: 'lower-case letters' }),
};
const least = { SERVER_URL: 'redis://localhost', KEY: '12345678' };

const errorOf = (env: Record<string, string>): string => {
  try {
    read(variables, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error('no error');
};

test('a variable that is unset or empty has its default', () => {
  expect(read(variables, { ...least, PORT: '' })).toEqual({
    port: 8080,
    limits: { ttl: 259_200_000, origins: [] },
    level: 'info',
    open: false,
    server: 'redis://localhost',
    other: undefined,
    key: '12345678',
    name: 'relay',
  });
});

test.each([
  ['500ms', 500],
  ['15s', 15_000],
  ['1.5h', 5_400_000],
  ['30d', 2_592_000_000],
])('%s is a duration', (given, milliseconds) => {
  expect(read({ ttl: duration('TTL', { help: '', default: '1s' }) }, { TTL: given }).ttl).toBe(milliseconds);
});

describe('an error names the variable, its value and the allowed values:', () => {
  test.each([
    ['PORT', '0', 'PORT is "0". It must be a whole number from 1 to 65535.'],
    ['PORT', '1e3', 'PORT is "1e3". It must be a whole number from 1 to 65535.'],
    [
      'TTL',
      '72',
      'TTL is "72". It must be a duration with its unit, such as 500ms, 15s, 5m, 72h or 30d, at least 1s.',
    ],
    ['TTL', '1ms', /^TTL is "1ms"/],
    ['ORIGINS', 'https://a, http://b', 'ORIGINS is "https://a, http://b". It must be https origins.'],
    ['LEVEL', 'loud', 'LEVEL is "loud". It must be one of info, debug.'],
    ['OPEN', 'yes', 'OPEN is "yes". It must be true or false.'],
    ['SERVER_URL', 'http://x', 'SERVER_URL is "http://x". It must be an address beginning with redis://.'],
    ['NAME', 'R2', 'NAME is "R2". It must be lower-case letters.'],
  ])('%s=%s', (name, value, error) => {
    expect(errorOf({ ...least, [name]: value })).toEqual(
      typeof error === 'string' ? error : expect.stringMatching(error),
    );
  });

  test('an error about a missing variable says what the variable is for', () => {
    expect(errorOf({ KEY: '12345678' })).toBe(
      'SERVER_URL is not set. It must be an address beginning with redis://. (Where.)',
    );
  });

  test('an error repeats no secret and no address with a password', () => {
    expect(errorOf({ ...least, KEY: 'hunter2' })).toBe(
      'KEY is not valid (its value is not shown). It must be a secret of at least 8 characters.',
    );
    const database = { url: url('DATABASE_URL', { help: '', protocols: ['postgres:'], secret: true }) };
    expect(() => read(database, { DATABASE_URL: 'mysql://me:hunter2@db' })).toThrow(/value is not shown/);
  });

  test('all errors are reported together', () => {
    expect(errorOf({ PORT: 'x', LEVEL: 'y' }).split('\n')).toHaveLength(4);
  });
});

test('all variables of a declaration can be listed', () => {
  expect(listVariables(variables).map(({ name }) => name)).toEqual([
    'PORT',
    'TTL',
    'ORIGINS',
    'LEVEL',
    'OPEN',
    'SERVER_URL',
    'OTHER_URL',
    'KEY',
    'NAME',
  ]);
});

describe('keys with ids', () => {
  const entry = (id: string, bytes = 32) => `${id}:${Buffer.alloc(bytes, 7).toString('base64url')}`;
  const readKeys = (text: string) =>
    read({ keys: keysWithIds('KEYS', { help: '', maxBytes: 40 }) }, { KEYS: text }).keys;

  test('one or two', () => {
    expect(readKeys(entry('a'))).toEqual([{ id: 'a', secret: Buffer.alloc(32, 7) }]);
    expect(readKeys(`${entry('a', 40)}, ${entry('b')}`).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test.each([
    ['without an id', entry('').slice(1)],
    ['that is too short', entry('a', 31)],
    ['that is too long', entry('a', 41)],
    ['and nothing', `${entry('a')},`],
    ['with the same id twice', `${entry('a')},${entry('a', 33)}`],
    ['that are three', ['a', 'b', 'c'].map((id) => entry(id)).join(',')],
  ])('keys %s are refused, without being shown', (_, text) => {
    expect(() => readKeys(text)).toThrow(/^KEYS is not valid \(its value is not shown\)/);
  });
});

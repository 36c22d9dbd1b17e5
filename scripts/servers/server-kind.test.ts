import { describe, expect, test } from '@jest/globals';
import { findVersion, isAtLeast, majorOf } from './server-kind.ts';

describe('the version that a program tells', () => {
  test.each([
    ['postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)', '15.18'],
    ['postgres (PostgreSQL) 18beta1', '18'],
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
    ['Valkey server v=8.0.1 sha=0', '8.0.1'],
    ['nats-server: v2.9.10', '2.9.10'],
    ['command not found', undefined],
  ])('%s', (text, version) => expect(findVersion(text)).toBe(version));
});

describe('whether a version will do', () => {
  test.each([
    ['15.18', '14', true],
    ['14', '14', true],
    ['13.9', '14', false],
    ['6.2', '6.2', true],
    ['6.10.1', '6.2', true],
    ['6.0.20', '6.2', false],
    ['2.10.0', '2.9', true],
    ['10', '9.6', true],
  ])('%s for at least %s: %s', (version, minimum, enough) =>
    expect(isAtLeast(version, minimum)).toBe(enough),
  );
});

test('the major version alone decides which data Postgres reads', () => expect(majorOf('15.18')).toBe('15'));

import { expect, test } from '@jest/globals';
import { redisProblem } from './check-redis.ts';

const info = (version: string, policy: string) =>
  `# Server\r\nredis_version:${version}\r\nos:Linux\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;

test.each(['6.2.0', '6.10.1', '7.0.15', '8.0.0'])('accepts version %s that evicts nothing', (version) => {
  expect(redisProblem(info(version, 'noeviction'))).toBeUndefined();
});

test.each(['6.0.16', '5.0.14'])('refuses version %s and names the one that is needed', (version) => {
  const problem = redisProblem(info(version, 'noeviction'));
  expect(problem).toContain(`version ${version}`);
  expect(problem).toContain('6.2 or newer');
});

test('refuses a Redis that evicts keys, and names the command that changes it', () => {
  const problem = redisProblem(info('7.0.15', 'allkeys-lru'));
  expect(problem).toContain('allkeys-lru');
  expect(problem).toContain('CONFIG SET maxmemory-policy noeviction');
});

test('accepts a server that does not report its version', () => {
  expect(redisProblem('# Server\r\nserver_name:other\r\n')).toBeUndefined();
});

import { expect, test } from '@jest/globals';
import { redisComplaint } from './redis-complaint.ts';

const info = (version: string, policy: string) =>
  `# Server\r\nredis_version:${version}\r\nos:Linux\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;

test.each(['6.2.0', '6.10.1', '7.0.15', '8.0.0'])('accepts version %s that evicts nothing', (version) => {
  expect(redisComplaint(info(version, 'noeviction'))).toBeUndefined();
});

test.each(['6.0.16', '5.0.14'])('refuses version %s and says which one is needed', (version) => {
  const complaint = redisComplaint(info(version, 'noeviction'));
  expect(complaint).toContain(`version ${version}`);
  expect(complaint).toContain('6.2 or newer');
});

test('refuses a Redis that evicts keys, and says what to type', () => {
  const complaint = redisComplaint(info('7.0.15', 'allkeys-lru'));
  expect(complaint).toContain('allkeys-lru');
  expect(complaint).toContain('CONFIG SET maxmemory-policy noeviction');
});

test('does not complain of what a server does not tell', () => {
  expect(redisComplaint('# Server\r\nserver_name:other\r\n')).toBeUndefined();
});

import { expect, test } from '@jest/globals';
import { missingServers } from './find-servers.ts';
import { nats } from './nats.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';

test('all missing servers are named once, with every way to get them', () => {
  const sought = [redis, nats].map((kind) => ({ kind, data: `/home/${kind.name}` }));
  const { message } = missingServers(sought, ['no Docker engine answers', 'apt-get install failed']);
  expect(message.split('\n').slice(0, 3)).toEqual([
    'Redis 6.2 or later and NATS 2.9 or later are missing, and could not be fetched:',
    '  - no Docker engine answers',
    '  - apt-get install failed',
  ]);
  for (const way of [
    'sudo apt-get install -y redis-server nats-server',
    'brew install redis nats-server',
    'Docker           start it',
    'set REDIS_URL and NATS_URL to where they run',
  ]) {
    expect(message.split(way)).toHaveLength(2);
  }
});

test('where data needs the version that made it, that version is named', () => {
  const kind = { ...postgres, majorOfData: () => '16' };
  const { message } = missingServers([{ kind, data: '/home/postgres' }], []);
  expect(message).toMatch(/^Postgres 16 is missing/);
  expect(message).toContain('/home/postgres was made by Postgres 16');
  expect(message).toContain('apt-get install -y postgresql-16');
  expect(message).toContain('brew install postgresql@16');
});

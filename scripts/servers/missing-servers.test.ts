import { expect, test } from '@jest/globals';
import { missingServers } from './missing-servers.ts';
import { nats } from './nats.ts';
import { redis } from './redis.ts';

test('all missing servers are named once, with every way to get them', () => {
  const sought = [redis, nats].map((kind) => ({ kind, data: `/home/${kind.name}` }));
  const { message } = missingServers(sought, ['no Docker engine answers', 'apt-get install failed']);
  expect(message.split('\n').slice(0, 3)).toEqual([
    'Redis (6.2 or later) and NATS (with JetStream, 2.9 or later) are missing, and could not be fetched:',
    '  - no Docker engine answers',
    '  - apt-get install failed',
  ]);
  for (const way of [
    'sudo apt-get install -y redis-server nats-server',
    'brew install redis nats-server',
    'docker run -d -p 127.0.0.1:6379:6379 redis:7-alpine',
    'export NATS_URL=nats://127.0.0.1:4222',
    'set REDIS_URL and NATS_URL to where they run',
  ]) {
    expect(message.split(way)).toHaveLength(2);
  }
});

import { subjectsFor } from '@expert-relay/contracts';
import { createLog } from '@expert-relay/kit/log';
import { createNats } from '@expert-relay/kit/nats';
import { createRedis } from '@expert-relay/kit/redis';

const log = createLog('testkit', { level: 'silent' });

/** Deletes all keys that have a prefix. */
export async function deleteRedisKeys(url: string, prefix: string): Promise<void> {
  const redis = createRedis({ url, name: 'testkit', whileAway: 'wait', key: 'test', log });
  await redis.start?.();
  try {
    for await (const keys of redis.client.scanStream({ match: `${prefix}:*`, count: 1_000 })) {
      if (keys.length > 0) await redis.client.unlink(keys);
    }
  } finally {
    await redis.stop?.();
  }
}

/** The names of all keys that match a pattern. */
export async function readRedisKeys(url: string, pattern: string): Promise<string[]> {
  const redis = createRedis({ url, name: 'testkit', whileAway: 'wait', key: 'test', log });
  await redis.start?.();
  try {
    return await redis.client.keys(pattern);
  } finally {
    await redis.stop?.();
  }
}

/** Deletes the JetStream stream of a prefix, if it exists. */
export async function deleteStream(url: string, prefix: string): Promise<void> {
  const nats = createNats({ url, name: 'testkit', log });
  await nats.start?.();
  try {
    const connection = await new Promise<NonNullable<typeof nats.connection>>((resolve) =>
      nats.onConnection(resolve),
    );
    // Without a check of the API, which would fail when NATS answers late.
    const { streams } = await connection.jetstreamManager({ checkAPI: false, timeout: 60_000 });
    await streams.delete(subjectsFor(prefix).stream).catch(() => {});
  } finally {
    await nats.stop?.();
  }
}

import { Redis } from 'ioredis';

/** Sends one command to Redis, and returns the answer as text. */
export async function tellRedis(url: string, command: string, ...args: string[]): Promise<string> {
  const redis = new Redis(url, { commandTimeout: 8_000, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    return String(await redis.call(command, ...args));
  } finally {
    redis.disconnect();
  }
}

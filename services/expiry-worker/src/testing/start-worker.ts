import type { Clock } from '@expert-relay/kit/clock';
import type { Service } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { readConfig } from '../config.ts';
import { create } from '../service.ts';

/** The real worker, by its real settings, for conversations that last `ttl`. */
export async function startWorker(options: {
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  ttl: string;
  log: Log;
  clock?: Clock;
}): Promise<Service> {
  const { log, clock } = options;
  const config = readConfig({
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl,
    RELAY_REDIS_PREFIX: options.prefix,
    RELAY_CONVERSATION_TTL: options.ttl,
    RELAY_HOST: '127.0.0.1',
    RELAY_OPS_PORT: '0',
    RELAY_SHUTDOWN_PAUSE: '0s',
    RELAY_DATABASE_POOL: '4',
  });
  const worker = create(config, { log, ...(clock && { clock }) });
  await worker.start();
  return worker;
}

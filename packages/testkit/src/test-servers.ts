export interface TestServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
}

/** The servers that `npm test` started. */
export function testServers(env: NodeJS.ProcessEnv = process.env): TestServers {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, NATS_URL: natsUrl } = env;
  if (databaseUrl && redisUrl && natsUrl) return { databaseUrl, redisUrl, natsUrl };
  const missing = Object.entries({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, NATS_URL: natsUrl })
    .filter(([, url]) => !url)
    .map(([name]) => name);
  throw new Error(
    `These tests need real servers, and ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set. ` +
      'Run them with `npm test -- <file>`, which starts the servers, or with the exports that `npm run servers` prints.',
  );
}

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redis } from '../../scripts/servers/redis.ts';
import { type OwnServer, startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';
import { type Ended, runService } from './run-service.ts';

/* What an operator reads when a setting is wrong: one sentence, soon, and no stack trace. */

const databaseUrl = process.env.DATABASE_URL ?? '';
const worker = (env: Record<string, string>) =>
  runService('expiry-worker', { DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1', ...env });

const elsewhere = (change: (url: URL) => void): string => {
  const url = new URL(databaseUrl);
  change(url);
  return url.href;
};

describe('a service ends with exit code 1 and one sentence', () => {
  test('for a setting that is not valid: its name, what it was, what is allowed', async () => {
    const { code, errors } = await worker({ RELAY_CONVERSATION_TTL: '72' });
    expect(code).toBe(1);
    expect(errors).toMatch(/^RELAY_CONVERSATION_TTL is "72"\. It must be a duration with its unit.*$/);
  });

  test('for several, each in its own line, and without the value of a secret one', async () => {
    const { errors } = await worker({ DATABASE_URL: 'mysql://root:hunter2@db/x', REDIS_URL: '' });
    expect(errors.split('\n')).toHaveLength(2);
    expect(errors).toMatch(/^DATABASE_URL is not valid/);
    expect(errors).toMatch(/^REDIS_URL is not set\./m);
    expect(errors).not.toContain('hunter2');
  });

  describe('for a DATABASE_URL', () => {
    const cases = [
      [
        'where nobody listens',
        elsewhere((url) => Object.assign(url, { host: '127.0.0.1:1' })),
        '127.0.0.1:1',
      ],
      [
        'with a host that does not exist',
        elsewhere((url) => Object.assign(url, { hostname: 'db.invalid' })),
        'db.invalid',
      ],
      [
        'without this database',
        elsewhere((url) => Object.assign(url, { pathname: '/nowhere' })),
        '"nowhere"',
      ],
    ] as const;
    const ends = new Map<string, Ended>();

    beforeAll(async () => {
      // Each waits a while for a Postgres that may still come: side by side they wait once.
      await Promise.all(
        cases.map(async ([name, url]) =>
          ends.set(name, await worker({ DATABASE_URL: url, RELAY_RETENTON: '1d' })),
        ),
      );
    });

    test('and warns before of a setting that nobody reads, with the nearest name', () => {
      const [name = ''] = ends.keys();
      expect(ends.get(name)?.log).toContain('The nearest name is RELAY_RETENTION;');
    });

    test.each(cases)('%s: soon, naming what failed', (name, _, named) => {
      const { code, errors, took } = ends.get(name) as Ended;
      expect(code).toBe(1);
      expect(errors?.split('\n')).toHaveLength(1);
      expect(errors).toContain(named);
      expect(errors).toContain('Check DATABASE_URL');
      expect(took).toBeLessThan(60_000);
    });

    test('after RELAY_START_PATIENCE', async () => {
      const env = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/relay', RELAY_START_PATIENCE: '1s' };
      const key = `test:${'A'.repeat(43)}`;
      const ended = await Promise.all([
        worker(env),
        runService('messages', {
          ...env,
          NATS_URL: 'nats://127.0.0.1:1',
          RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES: key,
          RELAY_PRINCIPAL_KEY_DASHBOARD_MESSAGES: key,
        }),
      ]);
      for (const { code, errors } of ended) {
        expect(errors).toContain('(tried for 1 s)');
        expect(code).toBe(1);
      }
    });
  });
});

describe('the worker refuses a Redis', () => {
  let own: OwnServer;

  beforeAll(async () => {
    own = await startOwnServer({
      ...redis,
      runProgram: async (place, program) => {
        const launch = await redis.runProgram(place, program);
        return { ...launch, args: [...launch.args, '--maxmemory-policy', 'allkeys-lru'] };
      },
      runImage: (place) => {
        const { options, command } = redis.runImage(place);
        return { options, command: [...command, '--maxmemory-policy', 'allkeys-lru'] };
      },
    });
  });

  afterAll(() => own.stop());

  test('that evicts keys, and says what to type', async () => {
    const { code, errors } = await worker({ REDIS_URL: own.url });
    expect(code).toBe(1);
    expect(errors.split('\n')).toHaveLength(1);
    expect(errors).toMatch(
      /maxmemory-policy is allkeys-lru.*redis-cli CONFIG SET maxmemory-policy noeviction/,
    );
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redis } from '../../scripts/servers/redis.ts';
import { type OwnServer, startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';
import { type EndedService, runService } from './run-service.ts';

/* What an operator reads when a setting is wrong: one sentence without a stack trace. */

const databaseUrl = process.env.DATABASE_URL ?? '';
const worker = (env: Record<string, string>) =>
  runService('expiry-worker', { DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1', ...env });

const changedUrl = (change: (url: URL) => void): string => {
  const url = new URL(databaseUrl);
  change(url);
  return url.href;
};

describe('a service ends with exit code 1 and one sentence', () => {
  test('for an invalid setting: the sentence has its name, its value and what is allowed', async () => {
    const { code, errors } = await worker({ RELAY_CONVERSATION_TTL: '72' });
    expect(code).toBe(1);
    expect(errors).toMatch(/^RELAY_CONVERSATION_TTL is "72"\. It must be a duration with its unit.*$/);
  });

  test('for several invalid settings: one line each, without the values of secrets', async () => {
    const { errors } = await worker({ DATABASE_URL: 'mysql://root:hunter2@db/x', REDIS_URL: '' });
    expect(errors.split('\n')).toHaveLength(2);
    expect(errors).toMatch(/^DATABASE_URL is not valid/);
    expect(errors).toMatch(/^REDIS_URL is not set\./m);
    expect(errors).not.toContain('hunter2');
  });

  describe('for a DATABASE_URL', () => {
    // A service that can reach Postgres does not give up because Postgres answers late.
    const patient = { RELAY_START_PATIENCE: '100s' };
    const cases = [
      [
        'with a port on which no server listens',
        changedUrl((url) => Object.assign(url, { host: '127.0.0.1:1' })),
        '127.0.0.1:1',
        {},
      ],
      [
        'with a host that does not exist',
        changedUrl((url) => Object.assign(url, { hostname: 'db.invalid' })),
        'db.invalid',
        {},
      ],
      [
        'with a database that does not exist',
        changedUrl((url) => Object.assign(url, { pathname: '/nowhere' })),
        '"nowhere"',
        patient,
      ],
    ] as const;
    const ended = new Map<string, EndedService>();

    beforeAll(async () => {
      // Each service waits some time for Postgres. In parallel this time passes only once.
      await Promise.all(
        cases.map(async ([name, url, _, env]) =>
          ended.set(name, await worker({ DATABASE_URL: url, RELAY_RETENTON: '1d', ...env })),
        ),
      );
    });

    test('an unknown setting: the log has a warning with the nearest name', () => {
      const [name = ''] = ended.keys();
      expect(ended.get(name)?.log).toContain('The nearest name is RELAY_RETENTION;');
    });

    test.each(cases)('%s: with the cause', (name, _url, cause, _env) => {
      const { code, errors } = ended.get(name) as EndedService;
      expect(code).toBe(1);
      expect(errors?.split('\n')).toHaveLength(1);
      expect(errors).toContain(cause);
      expect(errors).toContain('Check DATABASE_URL');
    });

    test('after RELAY_START_PATIENCE', async () => {
      const env = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/relay', RELAY_START_PATIENCE: '1s' };
      const key = `test:${'A'.repeat(43)}`;
      const services = await Promise.all([
        worker(env),
        runService('messages', {
          ...env,
          NATS_URL: 'nats://127.0.0.1:1',
          RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES: key,
          RELAY_PRINCIPAL_KEY_DASHBOARD_MESSAGES: key,
        }),
      ]);
      for (const { code, errors } of services) {
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
      runProgram: (place, program) => {
        const launch = redis.runProgram(place, program);
        return { ...launch, args: [...launch.args, '--maxmemory-policy', 'allkeys-lru'] };
      },
    });
  });

  afterAll(() => own.stop());

  test('that evicts keys, and the error has the command that changes it', async () => {
    const { code, errors } = await worker({ REDIS_URL: own.url, RELAY_START_PATIENCE: '100s' });
    expect(code).toBe(1);
    expect(errors.split('\n')).toHaveLength(1);
    expect(errors).toMatch(
      /maxmemory-policy is allkeys-lru.*redis-cli CONFIG SET maxmemory-policy noeviction/,
    );
  });
});

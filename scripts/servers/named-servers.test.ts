import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { checkNamed } from './named-servers.ts';
import { nats } from './nats.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';

const password = 'hunter2-of-the-user';
let server: Server | undefined;

afterEach(() => {
  server?.close();
});

/** A server that answers every piece of input with the next of these lines. */
async function answering(greeting: string, ...answers: string[]): Promise<number> {
  server = createServer((socket) => {
    socket.write(greeting);
    socket.on('data', () => socket.write(answers.shift() ?? ''));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => new Error('it was accepted'),
    (reason: Error) => reason,
  );
  expect(error.message).not.toContain(password);
  return error.message;
};

describe('a server that the environment names', () => {
  test.each([
    [postgres, 'postgres', 'DATABASE_URL: Postgres at 127.0.0.1:1 does not work: connect ECONNREFUSED'],
    [redis, 'redis', 'REDIS_URL: Redis at 127.0.0.1:1 does not work: connect ECONNREFUSED'],
    [nats, 'nats', 'NATS_URL: NATS at 127.0.0.1:1 does not work: CONNECTION_REFUSED'],
  ])(
    'that does not answer is reported in a sentence without its password: %#',
    async (kind, protocol, start) => {
      const message = await failureOf(checkNamed(kind, `${protocol}://someone:${password}@127.0.0.1:1/x`));
      expect(message).toContain(start);
      expect(message).toContain(`unset ${kind.variable}`);
    },
  );

  test('must be an address', async () => {
    expect(await failureOf(checkNamed(postgres, `mysql://a:${password}@b`))).toMatch(
      /^DATABASE_URL is not an address like postgres:/,
    );
    expect(await failureOf(checkNamed(postgres, `host=a password=${password}`))).toMatch(/is not an address/);
  });

  test('must be new enough', async () => {
    const port = await answering('', '$20\r\nredis_version:5.0.7\r\n');
    expect(await failureOf(checkNamed(redis, `redis://127.0.0.1:${port}`))).toContain(
      'is 5.0.7, and 6.2 or later is needed',
    );
  });

  test('must have JetStream', async () => {
    const port = await answering('INFO {"version":"2.10.1"}\r\n', 'PONG\r\n');
    expect(await failureOf(checkNamed(nats, `nats://127.0.0.1:${port}`))).toContain('its JetStream is off');
  });

  test('may refuse the password', async () => {
    const port = await answering('', '-WRONGPASS invalid username-password pair\r\n');
    const url = `redis://someone:${password}@127.0.0.1:${port}`;
    expect(await failureOf(checkNamed(redis, url))).toContain('WRONGPASS invalid');
  });
});

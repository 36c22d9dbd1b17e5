import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { connectOnce } from './connect.ts';
import { connectionFailure } from './failures.ts';

const server = process.env.DATABASE_URL ?? '';
const { host, password } = new URL(server);
/** The password of the server, if it has one, and that of the other addresses. */
const passwords = new RegExp(`hunter2${password && `|${password}`}`);

/** The failure of a real attempt. */
async function failureOf(url: string) {
  const client = await connectOnce(url, { connectionTimeoutMillis: 500 }).catch((error: unknown) => error);
  if (client instanceof pg.Client) throw new Error(`${url} was not supposed to work`);
  return connectionFailure(url, client);
}

const address = (change: (url: URL) => void) => {
  const url = new URL(server);
  url.password ||= 'hunter2';
  change(url);
  return url.href;
};

describe('connectionFailure', () => {
  test.each([
    [
      'an unknown database',
      address((url) => {
        url.pathname = '/nowhere';
      }),
      { permanent: true, message: `Postgres at ${host} refused: there is no database "nowhere"` },
    ],
    [
      'an unknown user',
      address((url) => {
        url.username = 'unknown_user';
      }),
      { permanent: true, message: expect.stringContaining(`Postgres at ${host} refused: `) },
    ],
    [
      'a port without a server',
      address((url) => {
        url.host = '127.0.0.1:1';
      }),
      {
        permanent: false,
        message:
          'Postgres at 127.0.0.1:1 is not reachable: the connection was refused (is Postgres running there?)',
      },
    ],
    [
      'an unknown host',
      address((url) => {
        url.host = 'nowhere.invalid';
      }),
      {
        permanent: false,
        message: expect.stringMatching(/^Postgres at nowhere\.invalid:\d+ is not reachable: the host name/),
      },
    ],
    [
      'a server without TLS',
      address((url) => {
        url.searchParams.set('sslmode', 'verify-full');
      }),
      {
        permanent: true,
        message: `Postgres at ${host}: TLS failed (The server does not support SSL connections)`,
      },
    ],
    [
      'a malformed address',
      'postgres://user:hunter2@ho st:99999/',
      { permanent: true, message: expect.stringContaining('malformed') },
    ],
  ])('%s', async (_, url, expected) => {
    const failure = await failureOf(url);
    expect(failure).toEqual(expected);
    expect(failure.message).not.toMatch(passwords);
  });

  test('a missing password', () => {
    const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(connectionFailure('postgres://ada@db.example/relay', error)).toEqual({
      permanent: true,
      message: 'Postgres at db.example:5432 refused: it asks for a password, and the address has none',
    });
  });

  test.each([
    ['28P01', true, 'wrong password for user "postgres"'],
    ['57P03', false, 'the database system is starting up'],
    ['53300', false, 'sorry, too many clients already'],
  ])('SQLSTATE %s', (code, permanent, reason) => {
    const error = Object.assign(new pg.DatabaseError(reason, 0, 'error'), { code });
    const url = 'postgres://postgres:hunter2@db.example:5432/relay';
    expect(connectionFailure(url, error)).toEqual({
      permanent,
      message: `Postgres at db.example:5432 refused: ${reason}`,
    });
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createEmptyDatabase } from './testing/create-test-database.ts';

const server = process.env.DATABASE_URL ?? '';
const program = fileURLToPath(new URL('./migrate.ts', import.meta.url));
const run = promisify(execFile);

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the real program in a separate process. */
async function migrate(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const options = ['--conditions=relay-source', '--import', 'tsx', program, ...args];
  const { PATH = '', HOME = '' } = process.env;
  try {
    return { code: 0, ...(await run(process.execPath, options, { env: { PATH, HOME, ...env } })) };
  } catch (error) {
    return error as Ended;
  }
}

describe('the migrate program', () => {
  test('reports the applied migrations in one line', async () => {
    await using database = await createEmptyDatabase(server);
    const env = { DATABASE_URL: 'postgres://ignored.invalid/x', DATABASE_DIRECT_URL: database.url };
    const first = await migrate(env);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^Applied the migrations? \d+_init(, \w+)*\.\n$/);
    expect(await migrate(env)).toMatchObject({
      code: 0,
      stdout: 'The database is up to date: no migration to apply.\n',
    });
  });

  test('fails on a wrong address with one sentence that does not contain the password', async () => {
    const wrong = new URL(server);
    wrong.password ||= 'hunter2';
    wrong.pathname = '/nowhere';
    const ended = await migrate({ DATABASE_URL: wrong.href });
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Postgres at ${wrong.host} refused: there is no database "nowhere". Check DATABASE_DIRECT_URL or DATABASE_URL.\n`,
    });
  });

  test('tries again while Postgres is away, reports that, and gives up', async () => {
    const ended = await migrate({ DATABASE_URL: 'postgres://postgres:hunter2@127.0.0.1:1/relay' });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(
      /^(Postgres at 127\.0\.0\.1:1 is not reachable: .* Trying again in \d+ ms\.\n)+$/,
    );
    expect(ended.stderr).toMatch(/^Postgres at 127\.0\.0\.1:1 is not reachable: [^\n]*\n$/);
    expect(ended.stdout + ended.stderr).not.toContain('hunter2');
  });

  test('waits as long as RELAY_START_PATIENCE says', async () => {
    const ended = await migrate({
      DATABASE_URL: 'postgres://postgres@127.0.0.1:1/relay',
      RELAY_START_PATIENCE: '1s',
    });
    expect(ended.stderr).toContain('(tried for 1 s)');
  });

  test.each([
    [{}, [], 'DATABASE_URL is not set.'],
    [{ DATABASE_URL: 'mysql://somewhere' }, [], 'DATABASE_URL is not valid'],
    [{ DATABASE_URL: server }, ['--force'], 'This program takes no arguments: it reads the environment.'],
  ])('refuses %j %j', async (env, args, sentence) => {
    const ended = await migrate(env, ...args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(sentence);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });
});

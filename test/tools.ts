import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgres } from '../scripts/servers/postgres.ts';
import { redis } from '../scripts/servers/redis.ts';
import type { FoundProgram, ProgramKind } from '../scripts/servers/server-kind.ts';

/* Programs that only tests start. They are found as the servers are. */

/** The packages in Python that tests run and that others wrote, for `findPythonWithPackages`: one environment has them all. */
export const pythonRequirements = fileURLToPath(new URL('requirements.txt', import.meta.url));

export const chromium: ProgramKind = {
  title: 'Chromium',
  minimum: '120',
  programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  // The program itself. In /usr/bin is a script that knows only this path.
  folders: ['/usr/lib/chromium'],
  debian: 'chromium',
};

const besidePostgres = ['pg_dump', 'pg_restore', 'psql'];

/** A Postgres with the tools of its own version. */
export const postgresWithTools: ProgramKind = {
  ...postgres,
  title: `Postgres with ${besidePostgres.join(', ')}`,
  beside: besidePostgres,
};

export const postgresTools = (program: FoundProgram): FoundProgram[] =>
  besidePostgres.map((name) => ({ ...program, path: join(dirname(program.path), name) }));

export const redisCli: ProgramKind = { ...redis, title: 'redis-cli', programs: ['redis-cli'] };

export const promtool: ProgramKind = {
  title: 'promtool',
  minimum: '2.40',
  programs: ['promtool'],
  folders: [],
  debian: 'prometheus',
};

export const firefox: ProgramKind = {
  title: 'Firefox',
  minimum: '140',
  programs: ['firefox-esr', 'firefox'],
  folders: [],
  debian: 'firefox-esr',
};

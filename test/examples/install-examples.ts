import { createHash } from 'node:crypto';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from '../../scripts/local/cached-folder.ts';
import { root } from '../../scripts/local/home.ts';
import { runCommand } from '../../scripts/processes/run-command.ts';
import type { StepError } from '../../scripts/terminal/failure.ts';

/** Versions by names. */
export type Packages = Readonly<Record<string, string>>;

/** A folder with packages, and the Node that runs them. */
export interface InstalledPackages {
  readonly node: string;
  readonly folder: string;
}

/** Where the examples find their packages, and the Node that runs them. */
export interface Installed {
  readonly node: string;
  readonly examples: string;
}

export interface Missing {
  readonly missing: string;
}

/** Node as a package of npm, for packages that need a later one than this repository. */
export const nodePackage = `node-${process.platform}-${process.arch}`;

/** Packages of npm, and these of this repository, in a folder as a user has them: npm refuses versions that do not fit together. */
export async function installPackages(
  packages: Packages,
  own: readonly string[] = [],
): Promise<InstalledPackages | Missing> {
  const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const digest = createHash('sha256')
    .update([...own, ...names].join())
    .digest('hex')
    .slice(0, 12);
  const folder = join(root, `node_modules/.cache/packages-${digest}`);
  try {
    await makeOnce(folder, async (draft) => {
      writeFileSync(join(draft, 'package.json'), '{ "type": "module" }');
      const args = [
        'install',
        '--ignore-scripts',
        '--install-links',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
      ];
      await runCommand({
        command: 'npm',
        args: [...args, ...own.map((name) => join(root, 'packages', name)), ...names],
        cwd: draft,
        timeout: 600_000,
        failure: `npm could not install ${names.join(' ')}.`,
      });
    });
  } catch (error) {
    const { message, output = [] } = error as Partial<StepError>;
    if (output.join().includes('ERESOLVE')) throw new Error([message, ...output].join('\n'));
    return { missing: String(message) };
  }
  // What npm has installed may be of an earlier build.
  for (const name of own) {
    const installed = join(folder, 'node_modules/@expert-relay', name, 'dist');
    cpSync(join(root, 'packages', name, 'dist'), installed, { recursive: true });
  }
  const node = join(folder, 'node_modules', nodePackage, 'bin/node');
  return { folder, node: existsSync(node) ? node : 'node' };
}

/** The examples of a folder beside packages and those of this repository. */
export async function installExamples(
  packages: Packages,
  { from = 'frameworks', own = ['sdk', 'adapters'] } = {},
): Promise<Installed | Missing> {
  const installed = await installPackages(packages, own);
  if ('missing' in installed) return installed;
  const examples = join(installed.folder, 'examples');
  cpSync(join(root, 'examples', from), examples, { recursive: true });
  return { examples, node: installed.node };
}

// node --import tsx scripts/steps/bundle.ts services|cli
//
// Bundles the services for `npm start`, or the command line. They start with half of the CPU time, and a service takes 6 to
// 9 MB less: what they do not use is left out, and what services rarely use is in files of its own.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { root } from '../local/home.ts';
import { bundleFolder, serviceNames } from '../local/services.ts';

/** Loaded at run time by name: as part of a bundle, Prisma would see fragments of SQL as instances of another class. */
export const unbundled = ['@prisma/client-runtime-utils'];

/** Bundles programs, by their names without an ending, into one folder of a tree that is laid out as the repository. */
export async function bundle(options: {
  programs: Readonly<Record<string, string>>;
  tree: string;
  folder: string;
  /** Whether code that several programs use, or that is imported on demand, gets files of its own. */
  splitting?: boolean;
  plugins?: readonly Plugin[];
}): Promise<Metafile> {
  const { programs, tree, folder, splitting = false, plugins = [] } = options;
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs,
    outdir: join(tree, folder),
    bundle: true,
    splitting,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    conditions: ['relay-source'],
    external: unbundled.flatMap((name) => [name, `${name}/*`]),
    plugins: [...plugins, ownPlace(folder)],
    metafile: true,
    // CommonJS packages call it; names and lines stay readable in the stacks of errors.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module';\nconst require = createBundleRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return metafile;
}

/** Lets a module find files by its own path, as if it was not part of a bundle in `folder`. */
const ownPlace = (folder: string): Plugin => ({
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /\/(services|packages)\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
      const place = relative(folder, relative(root, path));
      const contents = readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        `new URL(${JSON.stringify(place)}, import.meta.url).href`,
      );
      return { contents, loader: 'ts' };
    });
  },
});

async function bundleServices(): Promise<void> {
  const programs = serviceNames.map((name) => [name, `services/${name}/src/main.ts`]);
  await bundle({ programs: Object.fromEntries(programs), tree: root, folder: bundleFolder, splitting: true });
}

/** The command line as it is published: one file, so that a running command misses none after the next build. It needs no other package. */
async function bundleCli(): Promise<void> {
  const folder = 'packages/cli/dist';
  const programs = { relay: 'packages/cli/src/main.ts' };
  const { inputs } = await bundle({ programs, tree: root, folder });
  writeFileSync(join(root, folder, 'LICENSES.txt'), readLicenses(Object.keys(inputs)));
}

/** The licenses of the packages that these files are part of. They must be published with the bundle. */
function readLicenses(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const licenses = [...new Set(folders)].sort().map((folder) => {
    const name = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!name) throw new Error(`${folder} has no license.`);
    const title = folder.split('node_modules/').at(-1);
    return `${title}\n\n${readFileSync(join(root, folder, name), 'utf8').trim()}\n`;
  });
  // The MCP SDK contains other packages, without their licenses.
  const inside = readFileSync(join(root, 'packages/cli/inside-mcp-licenses.txt'), 'utf8');
  return [...licenses, inside].join(`\n${'-'.repeat(80)}\n\n`);
}

const [, script = '', target] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  await (target === 'cli' ? bundleCli() : bundleServices());
}

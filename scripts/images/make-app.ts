// node --import tsx scripts/images/make-app.ts <folder> [service...]
//
// Makes one folder for each service, with everything that its image needs besides Node: the Dockerfile copies it.
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { root } from '../local/home.ts';
import { type ServiceName, services } from '../local/services.ts';
import { buildWeb, generateAll } from '../steps/build.ts';

/** Loaded at run time by name: as part of a bundle, Prisma would see fragments of SQL as instances of another class. */
const unbundled = ['@prisma/client-runtime-utils'];
const withDatabase = [
  'packages/db/package.json',
  'packages/db/prisma',
  'node_modules/@prisma/client-runtime-utils',
];

interface App {
  /** What can be started, beside the service itself. */
  programs?: readonly string[];
  /** Files and folders that are read at run time. */
  files?: readonly string[];
}

const apps: Record<ServiceName, App> = {
  gateway: { files: withDatabase },
  requests: {
    programs: ['services/requests/src/admin.ts', 'packages/db/src/migrate.ts'],
    files: withDatabase,
  },
  messages: { files: withDatabase },
  hub: {},
  'expiry-worker': { files: withDatabase },
  notifier: { files: withDatabase },
  dashboard: { files: ['services/dashboard/web/dist'] },
};

/**
 * Puts a service into `folder`, where every file has the path that it has in the repository: each program is one
 * bundle, `dist/main.js` as ever, and needs no node_modules but what cannot be bundled.
 */
export async function makeApp(name: ServiceName, folder: string): Promise<void> {
  const { programs = [], files = [] } = apps[name];
  for (const program of [`services/${name}/src/main.ts`, ...programs]) await bundle(program, folder);
  for (const file of [`services/${name}/package.json`, ...files]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
}

async function bundle(program: string, folder: string): Promise<void> {
  const output = program.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
  await build({
    absWorkingDir: root,
    entryPoints: [program],
    outfile: join(folder, output),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    conditions: ['relay-source'],
    external: unbundled.flatMap((name) => [name, `${name}/*`]),
    plugins: [ownPlace(dirname(output))],
    // CommonJS packages call it; names and lines stay readable in the stacks of errors.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module';\nconst require = createBundleRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
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

/** The bytes of all files in a folder. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((bytes, entry) => bytes + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const [, script = '', target, ...wanted] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  if (!target) throw new Error('Say where to put the apps: make-app.ts <folder> [service...]');
  await generateAll();
  const names = services
    .map(({ name }) => name)
    .filter((name) => wanted.length === 0 || wanted.includes(name));
  if (names.includes('dashboard')) await buildWeb();
  for (const name of names) {
    await makeApp(name, join(target, name));
    console.log(`${name}: ${(sizeOf(join(target, name)) / 1e6).toFixed(1)} MB`);
  }
}

// node --import tsx scripts/images/make-app.ts <folder> [service...]
//
// Makes one folder for each service, with everything that its image needs besides Node: the Dockerfile copies it.
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../local/home.ts';
import { type ServiceName, serviceNames } from '../local/services.ts';
import { buildWeb, generateAll } from '../steps/build.ts';
import { bundle, unbundled } from '../steps/bundle.ts';

const withDatabase = [
  'packages/db/package.json',
  'packages/db/prisma',
  ...unbundled.map((name) => `node_modules/${name}`),
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
  for (const program of [`services/${name}/src/main.ts`, ...programs]) {
    const output = dirname(program).replace(/\/src$/, '/dist');
    await bundle({ programs: { [basename(program, '.ts')]: program }, tree: folder, folder: output });
  }
  for (const file of [`services/${name}/package.json`, ...files]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
}

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
  const names = serviceNames.filter((name) => wanted.length === 0 || wanted.includes(name));
  if (names.includes('dashboard')) await buildWeb();
  for (const name of names) {
    await makeApp(name, join(target, name));
    console.log(`${name}: ${(sizeOf(join(target, name)) / 1e6).toFixed(1)} MB`);
  }
}

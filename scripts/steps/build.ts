import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../local/home.ts';
import { bundleFolder, serviceNames } from '../local/services.ts';
import { runCommand } from '../processes/run-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Files that a program makes from others, again when these have changed. */
interface Generated {
  name: string;
  outputs: readonly string[];
  /** Files and folders that decide the result, the generator's own version included. */
  inputs: readonly string[];
  /** Arguments of Node. */
  args: readonly string[];
}

export const web = 'services/dashboard/web';

const buf = (name: string): Generated => ({
  name,
  outputs: [`packages/${name}/src/generated`],
  inputs: [
    'proto',
    'buf.yaml',
    `packages/${name}/buf.gen.yaml`,
    'node_modules/@bufbuild/protoc-gen-es/package.json',
  ],
  args: ['node_modules/@bufbuild/buf/bin/buf', 'generate', '--template', `packages/${name}/buf.gen.yaml`],
});

const generatedCode: readonly Generated[] = [
  buf('kit'),
  buf('contracts'),
  {
    name: 'db',
    outputs: ['packages/db/src/generated'],
    inputs: [
      'packages/db/prisma/schema.prisma',
      'packages/db/prisma.config.ts',
      'node_modules/prisma/package.json',
    ],
    args: ['node_modules/prisma/build/index.js', 'generate', '--config', 'packages/db/prisma.config.ts'],
  },
  {
    name: 'openapi',
    outputs: [
      'packages/contracts/src/api/generated/api.ts',
      `${web}/src/generated/api.ts`,
      'services/gateway/src/generated/openapi.ts',
      'services/gateway/src/generated/routes.ts',
      'services/dashboard/src/generated/service-calls.ts',
    ],
    inputs: ['docs/openapi.yaml', 'scripts/steps/generate-openapi.ts', 'package-lock.json'],
    args: ['--import', 'tsx', 'scripts/steps/generate-openapi.ts'],
  },
];

export const webApp: Generated = {
  name: 'web',
  outputs: [`${web}/dist/index.html`],
  inputs: [web, 'packages/sdk/package.json', 'packages/sdk/src', 'tsconfig.base.json', 'package-lock.json'],
  // Vite prints only errors.
  args: ['node_modules/vite/bin/vite.js', 'build', web, '--logLevel', 'warn'],
};

const bundles: Generated = {
  name: 'services',
  outputs: serviceNames.map((name) => `${bundleFolder}/${name}.js`),
  inputs: [
    ...['kit', 'contracts', 'db', 'sdk'].map((name) => `packages/${name}/src`),
    ...serviceNames.map((name) => `services/${name}/src`),
    ...['scripts/steps/bundle.ts', 'tsconfig.base.json', 'package-lock.json'],
  ],
  args: ['--import', 'tsx', 'scripts/steps/bundle.ts', 'services'],
};

const cli: Generated = {
  name: 'cli',
  outputs: ['packages/cli/dist/relay.js', 'packages/cli/dist/LICENSES.txt'],
  inputs: [
    ...['packages/cli/src', 'packages/cli/inside-mcp-licenses.txt', 'packages/sdk/src'],
    ...['packages/sdk/package.json', 'scripts/steps/bundle.ts', 'tsconfig.base.json', 'package-lock.json'],
  ],
  args: ['--import', 'tsx', 'scripts/steps/bundle.ts', 'cli'],
};

/** What is compiled: what `npm start` runs, everything for the tests, or everything, with the types of what tsc compiles checked. */
export type Purpose = 'start' | 'test' | 'all';

/** Generates and compiles what has changed. */
export async function buildProduct(terminal: Terminal, purpose: Purpose = 'all'): Promise<void> {
  await terminal.step('generate', generateAll);
  await terminal.step('build', async () => void (await builds[purpose]()));
}

/** Generates code from proto/, the database schema and the API's document. */
export async function generateAll(): Promise<void> {
  await Promise.all(generatedCode.map(generate));
}

/** Compiles all code for Node, and builds the command line and the web app. */
export async function buildAll(): Promise<void> {
  await Promise.all([compile(['tsconfig.build.json']), buildCli(), buildWeb()]);
}

/** Checking the types takes as long again: `npm run typecheck` does it, and for what tsc compiles `npm run build`. */
const unchecked = '--noCheck';

const builds = {
  start: () =>
    Promise.all([compile(['tsconfig.product.json', unchecked]), buildCli(), buildWeb(), generate(bundles)]),
  test: () => Promise.all([compile(['tsconfig.build.json', unchecked]), buildCli(), buildWeb()]),
  all: buildAll,
};

export const buildWeb = (): Promise<void> => generate(webApp);

export const buildCli = (): Promise<void> => generate(cli);

async function compile(args: readonly string[]): Promise<void> {
  await runCommand({
    command: await findCompiler(),
    args: ['--build', ...args],
    cwd: root,
    failure:
      'The code does not compile. Repair what the compiler reports above, then run the same command again.',
  });
}

/** TypeScript's compiler itself: its wrapper in JavaScript takes time, and does not stop it when it is stopped. */
export async function findCompiler(): Promise<string> {
  const resolver = join(root, 'node_modules/typescript/lib/getExePath.js');
  const { default: getExePath } = (await import(pathToFileURL(resolver).href)) as { default: () => string };
  return getExePath();
}

async function generate({ name, outputs, inputs, args }: Generated): Promise<void> {
  const stampFile = join(root, 'node_modules', `.relay-stamp-${name}`);
  const stamp = fingerprint(inputs);
  const isFresh = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  if (isFresh && outputs.every((output) => existsSync(join(root, output)))) return;
  await runCommand({
    command: process.execPath,
    args,
    cwd: root,
    env: generatorEnv(),
    failure: `${outputs.join(' and ')} could not be made. Repair what is reported above, then run the same command again.`,
  });
  writeFileSync(stampFile, stamp);
}

function generatorEnv(): NodeJS.ProcessEnv {
  // Prisma and buf write settings and caches into the user's home folder: they get another one.
  const { XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME, ...env } = process.env;
  const home = join(root, 'node_modules/.cache/generators');
  mkdirSync(home, { recursive: true });
  return {
    ...env,
    HOME: home,
    PATH: [join(root, 'node_modules/.bin'), env.PATH].join(delimiter),
    // Prisma would download an engine, although it generates without one: it accepts any program.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    // Prisma would look for a newer release on the internet.
    CHECKPOINT_DISABLE: '1',
  };
}

/** Changes whenever one of these files changes, and when one is added to a folder or removed. */
export function fingerprint(inputs: readonly string[], folder = root): string {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap((input) => filesIn(folder, input))) {
    hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex');
}

/** The files that are written by hand. */
function filesIn(folder: string, path: string): string[] {
  if (!statSync(join(folder, path)).isDirectory()) return [path];
  return readdirSync(join(folder, path))
    .filter((name) => name !== 'dist' && name !== 'node_modules')
    .sort()
    .flatMap((name) => filesIn(folder, `${path}/${name}`));
}

/** Brings the database to the schema of the code. */
export async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  await runCommand({
    command: process.execPath,
    args: [join(root, 'packages/db/dist/migrate.js')],
    cwd: root,
    env,
    failure:
      'The database could not be migrated. The reason is above; repair it, then run the same command again.',
  });
}

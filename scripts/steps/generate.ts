import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';

interface Generator {
  name: string;
  /** Files and folders that decide the result, the generator's own version included. */
  inputs: readonly string[];
  output: string;
  args: readonly string[];
}

const buf = (name: string, output: string): Generator => ({
  name,
  inputs: [
    'proto',
    'buf.yaml',
    `packages/${name}/buf.gen.yaml`,
    'node_modules/@bufbuild/protoc-gen-es/package.json',
  ],
  output,
  args: ['node_modules/@bufbuild/buf/bin/buf', 'generate', '--template', `packages/${name}/buf.gen.yaml`],
});

const generators: readonly Generator[] = [
  buf('kit', 'packages/kit/src/generated'),
  buf('contracts', 'packages/contracts/src/generated'),
  {
    name: 'db',
    inputs: [
      'packages/db/prisma/schema.prisma',
      'packages/db/prisma.config.ts',
      'node_modules/prisma/package.json',
    ],
    output: 'packages/db/src/generated',
    args: ['node_modules/prisma/build/index.js', 'generate', '--config', 'packages/db/prisma.config.ts'],
  },
  {
    name: 'openapi',
    inputs: ['docs/openapi.yaml', 'scripts/openapi', 'node_modules/yaml/package.json'],
    output: 'services/gateway/src/generated',
    args: ['--import', 'tsx', 'scripts/openapi/generate.ts'],
  },
];

/** Generates code from proto/, the database schema and the API's document, where they have changed. */
export async function generateAll(): Promise<void> {
  await Promise.all(generators.map(generate));
}

async function generate(generator: Generator): Promise<void> {
  const stamp = join(root, 'node_modules', `.relay-stamp-${generator.name}`);
  const wanted = fingerprint(generator.inputs);
  const fresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (fresh && existsSync(join(root, generator.output))) return;
  await runCommand({
    command: process.execPath,
    args: generator.args,
    cwd: root,
    env: generatorEnv(),
    failure: `${generator.output} could not be generated. Repair what is reported above, then run the same command again.`,
  });
  writeFileSync(stamp, wanted);
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

function fingerprint(inputs: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap(filesIn)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true })
    .map((entry) => `${path}/${entry}`)
    .filter((file) => statSync(join(root, file)).isFile())
    .sort();
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

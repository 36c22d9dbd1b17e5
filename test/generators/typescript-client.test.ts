import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../../scripts/processes/run-command.ts';
import { callerEnv, expectedCalls } from './expected-calls.ts';

/* openapi-typescript makes types from docs/openapi.yaml, and a program calls the relay with them. */

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const root = here('../..');
const { resolve } = createRequire(import.meta.url);

let relay: Constellation;
let folder: string;

beforeAll(async () => {
  relay = await startConstellation();
  folder = mkdtempSync(join(tmpdir(), 'relay-typescript-client-'));
  cpSync(here('programs/calls.ts'), join(folder, 'calls.ts'));
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  symlinkSync(packageFolder('openapi-fetch'), join(folder, 'node_modules/openapi-fetch'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => relay.stop());

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2023',
  types: ['node'],
  noEmit: true,
  allowImportingTsExtensions: true,
};

const run = (args: readonly string[], failure: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const { PATH } = process.env;
  return runCommand({ command: process.execPath, args, cwd: folder, env: { PATH, ...env }, failure });
};

test('openapi-typescript makes types without a warning, and calls with them work', async () => {
  const generator = join(packageFolder('openapi-typescript'), 'bin/cli.js');
  const types = join(folder, 'relay.ts');
  const output = await run(
    [generator, join(root, 'docs/openapi.yaml'), '--output', types],
    'openapi-typescript failed.',
  );
  expect(output).not.toMatch(/warn/i);

  await run([join(root, 'node_modules/typescript/bin/tsc')], 'The types do not compile under strict.');
  const tsx = join(packageFolder('tsx'), 'dist/loader.mjs');
  const printed = await run(['--import', tsx, 'calls.ts'], 'A call failed.', await callerEnv(relay));
  expect(JSON.parse(printed)).toEqual(expectedCalls);
}, 600_000);

/** The folder in which a package is installed for this workspace. */
function packageFolder(name: string): string {
  const entry = resolve(name);
  const end = entry.lastIndexOf(`/node_modules/${name}/`) + `/node_modules/${name}`.length;
  return entry.slice(0, end);
}

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { runCommand } from '../../scripts/processes/run-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { resolve } = createRequire(import.meta.url);

const program = `
import { createRelay, RelayError, type Answer } from '@expert-relay/sdk';
import { makeRoot, openVault } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';

const relay = createRelay({ url: 'https://relay.example', apiKey: 'hs_' });
const conversation = await relay.ask({ question: 'May I?' });
for await (const answer of conversation) show(answer);
function show({ text }: Answer): string {
  return text;
}
const expert = createExpert({ url: 'https://relay.example', apiKey: 'hs_prov_', root: makeRoot() });
for await (const event of expert.events()) if (event.type === 'new_message') await expert.request(event.requestId);
export { openVault, RelayError };
`;

test.each([
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
])('TypeScript 5.4 reads the declaration files of the SDK: %j', async (resolution) => {
  expect(createRequire(import.meta.url)('typescript').version).toMatch(/^5\.4\./);
  const folder = mkdtempSync(join(tmpdir(), 'relay-declarations-'));
  mkdirSync(join(folder, 'node_modules/@expert-relay'), { recursive: true });
  symlinkSync(join(root, 'packages/sdk'), join(folder, 'node_modules/@expert-relay/sdk'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.ts'), program);
  const compilerOptions = {
    ...resolution,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const output = await runCommand({
    command: process.execPath,
    args: [join(resolve('typescript'), '../../bin/tsc')],
    cwd: folder,
    env: { PATH: process.env.PATH },
    failure: 'The declaration files do not compile.',
  });
  expect(output).toBe('');
  rmSync(folder, { recursive: true });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './local/home.ts';
import { runCommand } from './processes/run-command.ts';

const sdk = join(root, 'packages/sdk');
const folder = join(root, 'dist/reference');

/** TypeDoc needs an older compiler than this repository, so npm installs both in a folder of its own. */
const tools = ['typedoc@0.28.20', 'typescript@6.0.3'];

/** `npm run reference`: the reference of the SDK for TypeScript as HTML, from its doc comments. */
export async function reference(): Promise<void> {
  const { exports } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as {
    exports: Record<string, { readonly 'relay-source': string }>;
  };
  const entries = Object.entries(exports).filter(([name]) => name !== './internal');
  await runCommand({
    command: 'npm',
    args: [
      ...['exec', '--yes', ...tools.map((tool) => `--package=${tool}`), '--', 'typedoc'],
      ...entries.flatMap(([, { 'relay-source': source }]) => ['--entryPoints', source]),
      ...['--tsconfig', 'tsconfig.reference.json', '--out', folder],
      ...['--name', '@expert-relay/sdk', '--readme', 'none', '--disableSources'],
      // `npm run typecheck` checks types, and internal types are shown by their names.
      ...['--skipErrorChecking', '--validation.notExported', 'false', '--treatValidationWarningsAsErrors'],
    ],
    cwd: sdk,
    failure: 'The reference could not be made.',
  });
  process.stdout.write(`${join(folder, 'index.html')}\n`);
}

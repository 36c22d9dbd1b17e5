import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../scripts/processes/run-command.ts';
import { root } from './tree.ts';

/** The errors of the compiler in strict mode, with file and line. The names of the files may be paths. */
export async function compile(files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const project = mkdtempSync(join(tmpdir(), 'relay-compiled-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
    mkdirSync(join(project, 'src'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    for (const [path, text] of files) writeFileSync(join(project, 'src', path.replaceAll('/', '-')), text);
    const options = { noEmit: true, allowImportingTsExtensions: true, types: ['node'] };
    const extended = join(root, 'tsconfig.base.json');
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ extends: extended, compilerOptions: options, include: ['src'] }),
    );
    return await runCommand({
      command: process.execPath,
      args: [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'],
      cwd: project,
      failure: 'A program does not compile.',
    }).then(
      () => [],
      (error) => error.output ?? [String(error)],
    );
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { runCommand } from '../../scripts/processes/run-command.ts';

const root = process.cwd();
const filesIn = (folder: string) => readdirSync(folder).map((name) => `${folder}/${name}`);
const pages = [
  'README.md',
  ...filesIn('docs').filter((path) => path.endsWith('.md')),
  ...filesIn('packages').map((path) => `${path}/README.md`),
];

const folder = mkdtempSync(join(tmpdir(), 'relay-snippets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * All `ts` and `js` blocks of a page as one program, in which a block can use the names of earlier blocks. All other
 * lines are empty, so that an error has the line number of the page.
 */
function programOf(page: string): string {
  let fence = '';
  return page
    .split('\n')
    .map((line) => {
      const [, language] = /^```(\w*)$/.exec(line) ?? [];
      if (language !== undefined) fence = fence === '' ? language || 'text' : '';
      return language === undefined && /^(ts|js)$/.test(fence) ? line : '';
    })
    .join('\n');
}

const usesSdk = (program: string): boolean => program.includes("from '@expert-relay/");

test('an error in a block is reported with its line in the page', async () => {
  const page =
    "# Page\n\n```ts\nimport { createRelay } from '@expert-relay/sdk';\n```\n\n```ts\ncreateRelay(1);\n```\n";
  const errors = await compile('wrong', new Map([['page.md', page]]));
  expect(errors).toContainEqual(expect.stringMatching(/^page\.md\.ts\(8,13\): error TS2559/));
}, 600_000);

test('the TypeScript blocks in README.md, docs and the packages compile in strict mode', async () => {
  const programs = new Map(
    pages.flatMap((path) => {
      const text = read(path);
      return usesSdk(programOf(text)) || /^```ts$/m.test(text) ? [[path, text]] : [];
    }),
  );
  expect([...programs.keys()]).toEqual(
    expect.arrayContaining(['README.md', 'docs/quickstart.md', 'packages/sdk/README.md']),
  );
  expect(await compile('right', programs)).toEqual([]);
}, 600_000);

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The errors of the compiler, with page and line. */
async function compile(name: string, programs: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const project = join(folder, name);
  mkdirSync(project);
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  for (const [path, page] of programs) {
    writeFileSync(join(project, `${path.replaceAll('/', '-')}.ts`), `${programOf(page)}\nexport {};\n`);
  }
  const options = { noEmit: true, allowImportingTsExtensions: true, types: ['node'] };
  const extended = join(root, 'tsconfig.base.json');
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ extends: extended, compilerOptions: options, include: ['*.ts'] }),
  );
  return await runCommand({
    command: process.execPath,
    args: [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'],
    cwd: project,
    failure: 'A TypeScript block does not compile.',
  }).then(
    () => [],
    (error) => error.output ?? [String(error)],
  );
}

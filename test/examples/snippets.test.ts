import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { compile } from '../rules/compile.ts';

const filesIn = (folder: string) => readdirSync(folder).map((name) => `${folder}/${name}`);
const pages = [
  'README.md',
  ...filesIn('docs').filter((path) => path.endsWith('.md')),
  ...filesIn('packages').map((path) => `${path}/README.md`),
];

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
  const errors = await compilePages(new Map([['page.md', page]]));
  expect(errors).toContainEqual(expect.stringMatching(/^src\/page\.md\.ts\(8,13\): error TS2559/));
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
  expect(await compilePages(programs)).toEqual([]);
}, 600_000);

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Each page as a program of its own. */
const compilePages = (pages: ReadonlyMap<string, string>): Promise<readonly string[]> =>
  compile(new Map([...pages].map(([path, page]) => [`${path}.ts`, `${programOf(page)}\nexport {};\n`])));

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readTree, root, type Tree } from './tree.ts';

/** Links to pages or headings that do not exist, and names of missing files in docs/. */
function deadLinks(tree: Tree, exists: (path: string) => boolean): string[] {
  const dead = [...tree]
    .filter(([page]) => page.endsWith('.md'))
    .flatMap(([page, text]) => {
      const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
        ([, path = '', heading]) => ({ path: path ? join(dirname(page), path) : page, heading }),
      );
      const named = (text.match(/\bdocs\/[\w/-]+\.(?:md|yaml|json)\b/g) ?? []).map((path) => ({
        path,
        heading: undefined,
      }));
      return [...links, ...named]
        .filter(({ path, heading }) => {
          if (!exists(path)) return true;
          return heading !== undefined && !headingsOf(tree.get(path) ?? '').includes(heading);
        })
        .map(({ path, heading }) => `${page}: ${path}${heading ? `#${heading}` : ''} does not exist.`);
    });
  return [...new Set(dead)];
}

/** The pages that lead through the code. */
const guides = ['CONTRIBUTING.md', 'docs/architecture.md'];
const namedFile = /(?<![<>*{}/\w.-])[\w@.][\w@./-]*\.(?:tsx?|mjs|js|json|proto|prisma|ya?ml|sql|md)\b/g;

/** Files that a guide names in code, by their whole path or its end, and that do not exist. Generated ones are not in the tree. */
function missingFiles(tree: Tree): string[] {
  const paths = [...tree.keys()].map((path) => `/${path}`);
  return guides.flatMap((page) => {
    const names = (tree.get(page)?.match(/`[^`\n]+`/g) ?? []).flatMap((code) => code.match(namedFile) ?? []);
    return [...new Set(names)]
      .filter((name) => !name.includes('generated/') && !paths.some((path) => path.endsWith(`/${name}`)))
      .map((name) => `${page}: there is no file ${name}.`);
  });
}

/** The headings of a page as link fragments. */
const headingsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('a link to a missing page or heading is reported', () => {
  const tree = new Map([
    ['README.md', 'See [a](docs/a.md#what-is-kept), [b](docs/a.md#gone), [c](docs/c.md) and docs/d.md.'],
    [
      'docs/a.md',
      '# A\n\n## What is kept?\n\n[home](../README.md) [web](https://example.com/x.md) [here](#a)',
    ],
  ]);
  expect(deadLinks(tree, (path) => tree.has(path))).toEqual([
    'README.md: docs/a.md#gone does not exist.',
    'README.md: docs/c.md does not exist.',
    'README.md: docs/d.md does not exist.',
  ]);
});

test('all links in this repository are valid', () => {
  expect(deadLinks(readTree(), (path) => existsSync(join(root, path)))).toEqual([]);
});

test('a file that a guide names and that does not exist is reported', () => {
  const tree = new Map([
    [
      'CONTRIBUTING.md',
      'See `a/b.ts`, `b.ts`, `a/c.ts`, `routes/<verb-noun>.ts` and `src/generated/d.ts`; e.ts is no code.',
    ],
    ['docs/architecture.md', 'See `packages/a/b.ts` and `x/packages/a/b.ts`.'],
    ['packages/a/b.ts', ''],
  ]);
  expect(missingFiles(tree)).toEqual([
    'CONTRIBUTING.md: there is no file a/c.ts.',
    'docs/architecture.md: there is no file x/packages/a/b.ts.',
  ]);
});

test('all files that the guides name exist', () => {
  expect(missingFiles(readTree())).toEqual([]);
});

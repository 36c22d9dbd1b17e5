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

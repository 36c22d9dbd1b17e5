import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packages } from '../../scripts/release/publish.ts';
import { root } from './tree.ts';

const folders = packages.map((name) => `packages/${name}`);

test.each(folders)('the exports of %s can be imported after an installation', async (folder) => {
  const { messages, pkg = {} } = await publint({ pkgDir: join(root, folder), pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test.each(folders)('the source maps of %s contain their sources', (folder) => {
  const dist = join(root, folder, 'dist');
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  expect(maps.length).toBeGreaterThan(5);
  const withoutSources = maps.filter((name) => {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(dist, name), 'utf8'));
    // Files of an earlier build are not in a fresh checkout, and so are not published.
    const isCurrent = existsSync(join(dist, dirname(name), sources[0]));
    return isCurrent && sources.length !== sourcesContent.length;
  });
  expect(withoutSources).toEqual([]);
});

// npm publishes the file LICENSE of a package, not that of the repository.
test.each(folders)('%s has the license', (folder) => {
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  expect(text(`${folder}/LICENSE`)).toBe(text('LICENSE'));
});

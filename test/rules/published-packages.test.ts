import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './tree.ts';

test.each(['packages/sdk', 'packages/cli'])('%s is found by whoever installs it', async (folder) => {
  const { messages, pkg = {} } = await publint({ pkgDir: join(root, folder), pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test.each(['packages/sdk', 'packages/cli'])('the source maps of %s contain the sources', (folder) => {
  const dist = join(root, folder, 'dist');
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  expect(maps.length).toBeGreaterThan(10);
  const lacking = maps.filter((name) => {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(dist, name), 'utf8'));
    // What an earlier build has left is not published from a fresh checkout.
    const isCurrent = existsSync(join(dist, dirname(name), sources[0]));
    return isCurrent && sources.length !== sourcesContent.length;
  });
  expect(lacking).toEqual([]);
});

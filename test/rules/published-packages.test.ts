import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './tree.ts';

test.each(['packages/sdk', 'packages/cli'])('%s is found by whoever installs it', async (folder) => {
  const { messages, pkg = {} } = await publint({ pkgDir: join(root, folder), pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { root } from './tree.ts';

/** Bytes after gzip. */
const limits = {
  '.': 20_900,
  './expert': 20_900,
  './crypto': 8_300,
  './forms': 4_200,
  './files': 1_300,
  './text': 700,
};

/** The bundle that a browser loads for this code. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    conditions: ['relay-source'],
    absWorkingDir: root,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

const sources = {
  '.': join(root, 'packages/sdk/src/index.ts'),
  './expert': join(root, 'packages/sdk/src/expert/index.ts'),
  './crypto': join(root, 'packages/sdk/src/crypto/index.ts'),
  './forms': join(root, 'packages/sdk/src/forms/index.ts'),
  './files': join(root, 'packages/sdk/src/files/index.ts'),
  './text': join(root, 'packages/sdk/src/show-hidden.ts'),
};

describe('the size of the SDK in a browser', () => {
  test.each(['.', './expert', './crypto', './forms', './files', './text'] as const)(
    'the whole entry "%s" stays below its limit after gzip',
    async (entry) => {
      const code = await bundle(`export * from '${sources[entry]}';`);
      expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(limits[entry]);
    },
  );

  test('is zero when nothing of it is used', async () => {
    const all = Object.values(sources).map((source) => `import '${source}';`);
    expect((await bundle(all.join(''))).trim()).toBe('');
  });

  test('is smaller when only a part of it is used', async () => {
    const all = await bundle(`export * from '${sources['./crypto']}';`);
    const one = await bundle(`export { parseFingerprint } from '${sources['./crypto']}';`);
    expect(one.length).toBeLessThan(all.length / 5);
    const form = await bundle(`export { describeContent } from '${sources['./forms']}';`);
    expect(form.length).toBeLessThan(700);
    expect((await bundle(`export { RelayError } from '${sources['.']}';`)).length).toBeLessThan(700);
  });
});

import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type BuildOptions, build } from 'esbuild';
import { root } from './tree.ts';

/** Bytes after gzip of what is loaded at once. What an entry loads later is not counted. */
const limits = {
  '.': 39_100,
  './expert': 21_900,
  './crypto': 3_900,
  './crypto/wire': 8_300,
  './forms': 4_400,
  './receipt': 10_200,
  './safe': 1_900,
};

const options: BuildOptions & { write: false } = {
  bundle: true,
  outdir: 'out',
  minify: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  conditions: ['relay-source'],
  absWorkingDir: root,
  logLevel: 'silent',
};

const bundleOf = async (contents: string, splitting: boolean) =>
  (await build({ ...options, splitting, stdin: { contents, resolveDir: root } })).outputFiles;

/** This code in one file. */
async function bundle(contents: string): Promise<string> {
  const [file] = await bundleOf(contents, false);
  return file?.text ?? '';
}

/** The files that a browser loads for this code: its own, and its static imports. */
async function loadedAtOnce(contents: string): Promise<string[]> {
  const files = new Map((await bundleOf(contents, true)).map(({ path, text }) => [basename(path), text]));
  const loaded = new Map<string, string>();
  function load(name: string): void {
    const text = files.get(name) ?? '';
    if (loaded.has(name)) return;
    loaded.set(name, text);
    for (const [, specifier = ''] of text.matchAll(/\b(?:from|import)"\.\/([^"]+)"/g)) load(specifier);
  }
  load('stdin.js');
  return [...loaded.values()];
}

const sources = {
  '.': join(root, 'packages/sdk/src/index.ts'),
  './expert': join(root, 'packages/sdk/src/expert/index.ts'),
  './crypto': join(root, 'packages/sdk/src/crypto/index.ts'),
  './crypto/wire': join(root, 'packages/sdk/src/crypto/wire.ts'),
  './forms': join(root, 'packages/sdk/src/forms/index.ts'),
  './receipt': join(root, 'packages/sdk/src/receipt/index.ts'),
  './safe': join(root, 'packages/sdk/src/safe/index.ts'),
};

describe('the size of the SDK in a browser', () => {
  test.each(Object.keys(limits) as (keyof typeof limits)[])(
    'the entry "%s" stays below its limit after gzip',
    async (entry) => {
      const files = await loadedAtOnce(`export * from '${sources[entry]}';`);
      const size = files.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0);
      expect(size).toBeGreaterThan(limits[entry] / 2);
      expect(size).toBeLessThanOrEqual(limits[entry]);
    },
  );

  test('is zero when nothing of it is used', async () => {
    const all = Object.values(sources).map((source) => `import '${source}';`);
    expect((await bundle(all.join(''))).trim()).toBe('');
  });

  test('is smaller when only a part of it is used', async () => {
    const all = await bundle(`export * from '${sources['./crypto']}';`);
    const one = await bundle(`export { parseFingerprint } from '${sources['./crypto']}';`);
    expect(one.length).toBeLessThan(all.length / 4);
    const form = await bundle(`export { describeContent } from '${sources['./forms']}';`);
    expect(form.length).toBeLessThan(700);
    // With the codes of all reasons.
    const error = await bundle(`export { RelayError } from '${sources['.']}';`);
    expect(error.length).toBeLessThan(1_700);
  });
});

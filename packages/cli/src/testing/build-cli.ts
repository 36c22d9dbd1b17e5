import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BuiltCli {
  readonly path: string;
  remove(): void;
}

/**
 * Bundles the sources into one file, since compiling them for each process takes a second. It is laid out like an
 * installed package, outside of the checkout: other tests list `dist` at the same time.
 */
export async function buildCli(): Promise<BuiltCli> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-cli-built-'));
  const path = join(folder, 'dist/relay.js');
  await build({
    entryPoints: [inCheckout('src/main.ts')],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['relay-source'],
    external: ['@modelcontextprotocol/*', 'zod', 'eventsource-parser'],
    logLevel: 'error',
  });
  copyFileSync(inCheckout('package.json'), join(folder, 'package.json'));
  symlinkSync(inCheckout('../../node_modules'), join(folder, 'node_modules'));
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const inCheckout = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

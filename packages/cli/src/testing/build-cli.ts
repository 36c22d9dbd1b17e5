import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';
import { build } from 'esbuild';

let built: Promise<string> | undefined;
let folder: string | undefined;

afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/**
 * The path of the `relay` program, bundled once per test file with all that it imports: a process then starts in a
 * tenth of a second. It is laid out like an installed package, outside of the checkout, because other tests list `dist`
 * at the same time.
 */
export function buildCli(): Promise<string> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<string> {
  folder = mkdtempSync(join(tmpdir(), 'relay-cli-built-'));
  await build({
    entryPoints: { relay: inCheckout('src/main.ts') },
    outdir: join(folder, 'dist'),
    bundle: true,
    // What a command imports when it runs stays in a file of its own.
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['relay-source'],
    // Some packages are CommonJS and call `require`.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  copyFileSync(inCheckout('package.json'), join(folder, 'package.json'));
  return join(folder, 'dist/relay.js');
}

const inCheckout = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

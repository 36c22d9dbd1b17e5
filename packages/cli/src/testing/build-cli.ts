import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

export interface BundleOptions {
  /**
   * `retries`: repeats failed calls after milliseconds, for tests of errors that the SDK retries, and waits for any answer
   * of a busy machine. `limits`: repeats as soon, and waits for an answer, and repeats a call, for a short time only.
   */
  quick?: 'retries' | 'limits';
}

const built = new Map<BundleOptions['quick'], Promise<string>>();

/**
 * The path of the `relay` program, bundled once per process with all that it imports: a process then starts in a
 * tenth of a second. It is laid out like an installed package, outside of the checkout, because other tests list `dist`
 * at the same time.
 */
export function buildCli({ quick }: BundleOptions = {}): Promise<string> {
  const path = built.get(quick) ?? bundle(quick ? [quickTiming(timings[quick])] : []);
  built.set(quick, path);
  return path;
}

const timings = {
  retries: {
    timing: { callMs: 30_000, patienceMs: 75_000, backoffMs: 20, maxBackoffMs: 100 },
    looking: { timeoutMs: 120_000, firstMs: 60_000 },
  },
  limits: {
    timing: { callMs: 1_000, patienceMs: 2_000, backoffMs: 20, maxBackoffMs: 100 },
    looking: { timeoutMs: 1_000, firstMs: 1_000 },
  },
};

const quickTiming = ({ timing, looking }: (typeof timings)['limits']): Plugin => ({
  name: 'quick timing',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/cli\/src\/relay\/timing\.ts$/ }, () => ({
      contents: `export const timing = ${JSON.stringify(timing)}; export const looking = ${JSON.stringify(looking)};`,
    })),
});

async function bundle(plugins: Plugin[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-cli-built-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: {
      relay: inCheckout('src/main.ts'),
      'command-server': inCheckout('src/testing/command-server.ts'),
    },
    outdir: join(folder, 'dist'),
    bundle: true,
    // Modules that a command imports only when it runs stay in separate files.
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['relay-source'],
    // Some packages are CommonJS and call `require`.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    logLevel: 'error',
    plugins,
  });
  copyFileSync(inCheckout('package.json'), join(folder, 'package.json'));
  return join(folder, 'dist/relay.js');
}

const inCheckout = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

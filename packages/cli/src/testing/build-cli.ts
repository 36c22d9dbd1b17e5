import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from '../../../../scripts/local/home.ts';
import { bundle } from '../../../../scripts/steps/bundle.ts';

export interface BundleOptions {
  /**
   * `retries`: repeats failed calls after milliseconds, for tests of errors that the SDK retries, and waits for any answer
   * of a busy machine. `limits`: repeats as soon, and waits for an answer, and repeats a call, for a short time only.
   */
  quick?: 'retries' | 'limits';
}

const built = new Map<BundleOptions['quick'], Promise<string>>();

/**
 * The path of the `relay` program, bundled once per process as it is published, with the program that runs commands of tests. It
 * is outside of the checkout, because other tests list `dist` at the same time.
 */
export function buildCli({ quick }: BundleOptions = {}): Promise<string> {
  const path = built.get(quick) ?? bundleWith(quick ? [quickTiming(timings[quick])] : []);
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

async function bundleWith(plugins: Plugin[]): Promise<string> {
  const tree = mkdtempSync(join(tmpdir(), 'relay-cli-built-'));
  process.once('exit', () => rmSync(tree, { recursive: true, force: true }));
  const programs = {
    relay: 'packages/cli/src/main.ts',
    'command-server': 'packages/cli/src/testing/command-server.ts',
  };
  await bundle({ programs, tree, folder: 'packages/cli/dist', plugins });
  const manifest = 'packages/cli/package.json';
  copyFileSync(join(root, manifest), join(tree, manifest));
  return join(tree, 'packages/cli/dist/relay.js');
}

import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BuiltCli {
  readonly path: string;
  remove(): void;
}

/** The command line as one file made from the sources, since compiling them anew for each process takes a second. */
export async function buildCli(): Promise<BuiltCli> {
  const path = fileURLToPath(new URL(`../../dist/test-${crypto.randomUUID()}.js`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL('../main.ts', import.meta.url))],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['relay-source'],
    external: ['@modelcontextprotocol/*', 'zod', 'eventsource-parser'],
    logLevel: 'error',
  });
  return { path, remove: () => rmSync(path, { force: true }) };
}

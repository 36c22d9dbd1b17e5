import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Code that uses the SDK as one script, as a page or a small program would get it. */
export async function bundle(code: string): Promise<string> {
  const resolveDir = fileURLToPath(new URL('..', import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['relay-source'],
  });
  return outputFiles[0]?.text ?? '';
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles code that uses the SDK into one script. */
async function bundle(code: string): Promise<string> {
  const resolveDir = fileURLToPath(new URL('..', import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['relay-source'],
    external: ['node:*'],
  });
  return outputFiles[0]?.text ?? '';
}

export interface Program {
  /** Its output so far. */
  readonly output: () => string;
  /** Its exit status. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

/** Runs a program that uses the SDK in a separate process. */
export async function runProgram(
  code: string,
  env: Record<string, string> = {},
  nodeOptions: readonly string[] = [],
): Promise<Program> {
  const script = await bundle(code);
  const child = spawn(process.execPath, [...nodeOptions, '--input-type=module'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin.end(script);
  return {
    output: () => output,
    // At `exit` a part of the output may not have arrived yet.
    ended: once(child, 'close').then(([status]) => status as number | null),
    kill: () => void child.kill(),
  };
}

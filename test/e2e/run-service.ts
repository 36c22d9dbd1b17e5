import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  code: number | null;
  /** What it wrote for people to read. */
  errors: string;
  /** Milliseconds from its start to its end. */
  took: number;
}

/** Runs a service as a process of its own, as it is shipped, until it ends by itself. */
export async function runService(name: string, env: Record<string, string>): Promise<Ended> {
  const began = performance.now();
  const { PATH = '' } = process.env;
  const service = spawn(process.execPath, [`services/${name}/dist/main.js`], {
    cwd: root,
    env: { PATH, RELAY_HOST: '127.0.0.1', RELAY_PORT: '0', RELAY_OPS_PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  let errors = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    service.once('error', reject).once('close', resolve);
  });
  return { code, errors: errors.trim(), took: performance.now() - began };
}

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface EndedService {
  code: number | null;
  /** What it wrote to stderr. */
  errors: string;
  /** What it wrote to stdout. */
  log: string;
}

/** Runs the built service in its own process until it ends. */
export async function runService(name: string, env: Record<string, string>): Promise<EndedService> {
  const { PATH = '' } = process.env;
  const service = spawn(process.execPath, [`services/${name}/dist/main.js`], {
    cwd: root,
    env: { PATH, RELAY_HOST: '127.0.0.1', RELAY_PORT: '0', RELAY_OPS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 200_000,
    killSignal: 'SIGKILL',
  });
  let log = '';
  service.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  let errors = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    service.once('error', reject).once('close', resolve);
  });
  return { code, errors: errors.trim(), log };
}

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  code: number | null;
  /** What it wrote for people to read. */
  errors: string;
  /** Its log lines. */
  log: string;
  /** Milliseconds from its first words to its end: loading code takes what the machine takes. */
  took: number;
}

/** Runs a service as a process of its own, as it is shipped, until it ends by itself. */
export async function runService(name: string, env: Record<string, string>): Promise<Ended> {
  let began: number | undefined;
  const begin = () => {
    began ??= performance.now();
  };
  const { PATH = '' } = process.env;
  const service = spawn(process.execPath, [`services/${name}/dist/main.js`], {
    cwd: root,
    env: { PATH, RELAY_HOST: '127.0.0.1', RELAY_PORT: '0', RELAY_OPS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
  let log = '';
  service.stdout.setEncoding('utf8').on('data', (text: string) => {
    begin();
    log += text;
  });
  let errors = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    begin();
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    service.once('error', reject).once('close', resolve);
  });
  return { code, errors: errors.trim(), log, took: performance.now() - (began ?? 0) };
}

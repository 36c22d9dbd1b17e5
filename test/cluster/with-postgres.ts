import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { namespace, secretOf } from './shell.ts';

/** Opens the trial server by `kubectl port-forward`, which network policies do not restrict. The URL names no database. */
export async function withPostgres<T>(use: (url: string) => Promise<T>): Promise<T> {
  const password = await secretOf('POSTGRES_PASSWORD');
  const args = ['port-forward', '--namespace', namespace, 'service/expert-relay-postgres', ':5432'];
  const forward = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(forward.stdout, 'data');
    const port = /127\.0\.0\.1:(\d+)/.exec(String(line))?.[1];
    return await use(`postgres://relay:${password}@127.0.0.1:${port}`);
  } finally {
    forward.kill();
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Starts a NATS server with the given configuration. */
export async function startNatsWith(config: string): Promise<{ host: string } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(file, `listen: "127.0.0.1:-1"\nports_file_dir: ${JSON.stringify(folder)}\n${config}`);
  const child = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => {
    errors += bytes;
  });

  async function stop(): Promise<void> {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }

  for (let tries = 0; tries < 2_400; tries++) {
    const ports = readdirSync(folder).find((name) => name.endsWith('.ports'));
    const text = ports ? readFileSync(join(folder, ports), 'utf8') : '';
    // The server writes the file in parts. The last one ends with a brace.
    const [url] = text.trimEnd().endsWith('}') ? (JSON.parse(text).nats as string[]) : [];
    if (url) return { host: new URL(url).host, [Symbol.asyncDispose]: stop };
    if (child.exitCode !== null) break;
    await pause(25);
  }
  await stop();
  throw new Error(`nats-server did not start: ${errors}`);
}

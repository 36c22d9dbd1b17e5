import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { shared } from './shared-relay.mjs';

/**
 * Jest's global setup for tests that use only URLs: one relay for all files, unless the environment names one. The files
 * do not disturb each other, because each one creates its own users.
 */
// biome-ignore lint/style/noDefaultExport: Jest requires a default export.
export default async function shareRelay() {
  if (process.env.RELAY_TEST_URL) return;
  const program = fileURLToPath(new URL('./serve-relay.ts', import.meta.url));
  const args = ['--conditions=relay-source', '--import', 'tsx', program];
  const relay = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await Promise.race([
    once(createInterface(relay.stdout), 'line'),
    once(relay, 'exit').then(([code]) => {
      throw new Error(`The relay for the tests ended with exit code ${code} instead of starting.`);
    }),
  ]);
  const { url, hubUrl } = JSON.parse(line);
  process.env.RELAY_TEST_URL = url;
  process.env.RELAY_TEST_HUB_URL = hubUrl;

  shared.stop = async () => {
    relay.stdin.end();
    const [code] = relay.exitCode === null ? await once(relay, 'exit') : [relay.exitCode];
    if (code !== 0)
      throw new Error(
        `The relay for the tests ended with exit code ${code}. The lines above name what is still open.`,
      );
  };
}

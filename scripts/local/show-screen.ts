import { relative } from 'node:path';
import type { Terminal } from '../terminal/terminal.ts';
import { type DemandedPorts, preferred } from './addresses.ts';
import type { DevJson } from './dev-json.ts';
import { type Home, root } from './home.ts';

/** What whoever typed `npm start` wants to see: where it is, the keys, and something to try. */
export function showScreen(
  { line, bold, faint }: Terminal,
  run: Omit<DevJson, 'pids'>,
  { home, demanded = {} }: { home: Home; demanded?: DemandedPorts },
): void {
  const request = {
    apiKey: run.consumerKey,
    messages: [{ role: 'user', content: 'The deploy waits for a lock.' }],
    question: 'May I remove the lock file?',
    plaintext: 'The deploy waits for a lock. May I remove the lock file?',
  };
  const near = relative(root, home.path);
  const folder = near.startsWith('..') ? home.path : near;
  for (const text of [
    '',
    `  Gateway       ${bold(run.gatewayUrl)}${explain(run.gatewayUrl, demanded.gateway ?? preferred.gateway)}`,
    `  Hub           ${bold(run.hubUrl)}${explain(run.hubUrl, demanded.hub ?? preferred.hub)}`,
    `  Dashboard     ${bold(`${run.dashboardUrl}/dashboard`)}`,
    '',
    `  Consumer key  ${run.consumerKey}`,
    `  Provider key  ${run.providerKey}`,
    '',
    faint(`  Set both up as README.md does: source ${folder}/expert.env, or source ${folder}/agent.env`),
    '',
    faint('  Wait for requests, as an expert:'),
    '',
    `curl -N -H 'x-api-key: ${run.providerKey}' \\`,
    `  '${run.hubUrl}/?topic=/svc/providers/${run.userId}'`,
    '',
    faint('  Ask for help, as an agent:'),
    '',
    `curl -X POST ${run.gatewayUrl}/api/v1/help \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(request)}'`,
    '',
    faint(`  Logs: ${folder}/logs/*.log    Stop: Ctrl-C`),
    '',
  ]) {
    line(text);
  }
}

/** A port stays what it once became: it may be free again. */
const explain = (url: string, port: number | undefined) =>
  new URL(url).port === String(port) ? '' : `  (port ${port} was taken)`;

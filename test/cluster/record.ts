import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/local/home.ts';
import { kubectl, shell } from './shell.ts';
import type { Outcome } from './under-load.ts';

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const columns = [
  ['action', 'seconds', 'calls', 'failed', 'longest gap in ms', 'streams', 'reconnects'],
  ['events expected', 'lost', 'duplicated', 'out of order', 'result'],
].flat();

function row({ seconds, failed, failures, ...outcome }: Outcome): string {
  return line([
    outcome.what,
    seconds.toFixed(0),
    outcome.calls,
    failed.join(', ') || 0,
    outcome.longestGapMs,
    outcome.streams,
    outcome.reconnects,
    outcome.expected,
    outcome.lost,
    outcome.duplicated,
    outcome.outOfOrder,
    failures.length === 0 ? 'passed' : `FAILED: ${failures.slice(0, 3).join('; ')}`.replaceAll('|', '\\|'),
  ]);
}

/** The versions of the programs in the cluster. */
async function versions(): Promise<string[]> {
  const { serverVersion } = JSON.parse(await kubectl('version', '--output=json'));
  const node = await kubectl('exec', 'deployment/expert-relay-gateway', '--', 'node', '--version');
  const server = (name: string, ...command: string[]) =>
    kubectl('exec', `statefulset/expert-relay-${name}`, '--', ...command);
  return [
    `Kubernetes ${serverVersion.gitVersion}`,
    `Node ${node}`,
    await server('postgres', 'postgres', '--version'),
    await server('redis', 'redis-server', '--version').then((text) => text.split(' sha=')[0] ?? ''),
    // The image may have no shell, and the path of the program is not known.
    `nats-server ${/Version: +(\S+)/.exec(await kubectl('logs', 'statefulset/expert-relay-nats'))?.[1]}`,
  ].map((text) => text.trim());
}

/** Writes test/cluster/record.md. */
export async function writeRecord(facts: readonly string[], outcomes: readonly Outcome[]): Promise<void> {
  const commit = (await shell('git describe --always --abbrev=12 --dirty --exclude="*"')).trim();
  const text = `# The last run on a cluster

Written by \`npm run test:all -- test/cluster\` (see [CONTRIBUTING.md](../../CONTRIBUTING.md#on-a-cluster)), on the commit ${commit}.

- ${[(await versions()).join(', '), ...facts].join('\n- ')}

Each line has its own load: agents and experts that submit, exchange keys, answer and close, an expert's pages, and
readers that resume. It runs before, during and after the action. A call has failed when its response is not final (no
response, 429, 5xx), and is made again: where only services are replaced, none may fail. The longest gap is the longest
time without a final response to any call. Events are summed over all readers, and compared with the database.

${line(columns)}
${line(columns.map(() => '---'))}
${outcomes.map(row).join('\n')}
`;
  writeFileSync(join(root, 'test/cluster/record.md'), text);
}

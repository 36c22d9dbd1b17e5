import { type Run, withTemporaryRun } from './local/with-run.ts';
import { buildCommit, findOlderCommit, servicesThatRunAlone } from './mixed/older-commit.ts';
import { openServers } from './servers/open-servers.ts';
import { buildProduct, migrate } from './steps/build.ts';
import { runJest } from './steps/run-jest.ts';
import { StepError } from './terminal/failure.ts';
import { createTerminal } from './terminal/terminal.ts';

/**
 * `npm run mixed`: the services of this commit and of an older one, side by side on this commit's schema, must pass the
 * conformance suite of the older one; see docs/adr/0014-no-upgrade-order.md.
 */
export async function mixed([commit]: string[]): Promise<void> {
  const terminal = createTerminal();
  const older = commit ?? (await findOlderCommit());
  const code = await withTemporaryRun('mixed', terminal, (run) =>
    runMixed(run, older, run.home.file('older')),
  );
  process.exitCode = code ?? 130;
}

async function runMixed(run: Run, older: string, olderRoot: string): Promise<number> {
  const { terminal } = run;
  await buildProduct(terminal);
  await terminal.step('older', (detail) => {
    detail(older.slice(0, 12));
    return buildCommit(older, olderRoot);
  });
  const servers = await terminal.step('servers', (detail) => openServers(run, { durable: false, detail }));
  const databaseEnv = { ...process.env, ...servers, DATABASE_DIRECT_URL: servers.DATABASE_URL };
  await terminal.step('migrate', () => migrate(databaseEnv));
  // Only now: it imports what was just built.
  const { openMixture } = await import('./mixed/open-mixture.ts');
  const alone = await servicesThatRunAlone(older);
  for (const [service, release] of Object.entries(alone)) {
    terminal.line(`  ! only the ${release} ${service} runs`);
  }
  await using mixture = await terminal.step('services', () =>
    openMixture({ run, servers, olderRoot, alone }),
  );
  const env = {
    ...servers,
    RELAY_TEST_URL: mixture.gatewayUrl,
    RELAY_TEST_HUB_URL: mixture.hubUrl,
    // Before 2026-11-23, Jest loaded the tests itself, and needed this option.
    NODE_OPTIONS: '--experimental-vm-modules',
  };
  const code = await runJest(run, { args: ['test/conformance'], env, folder: olderRoot });
  for (const [name, calls] of Object.entries(mixture.calls())) {
    terminal.line(`  ${name}: ${calls} calls`);
    if (calls === 0) throw new StepError(`${name} has served no call: the releases were not mixed.`);
  }
  return code;
}

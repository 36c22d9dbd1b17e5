import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { reservePort } from '@expert-relay/testkit';
import { openHome, root } from '../../scripts/local/home.ts';
import { type Run, withRun } from '../../scripts/local/with-run.ts';
import { createTerminal } from '../../scripts/terminal/terminal.ts';

/**
 * Does some work in a new folder, which is removed afterwards; `undefined` if it was interrupted. The logs of work that failed
 * are kept in the checkout.
 */
export async function runAndKeepLogs<
  Result extends { failures: readonly string[]; remarks: readonly string[] },
>(name: string, work: (run: Run) => Promise<Result>): Promise<Result | undefined> {
  const home = openHome(mkdtempSync(join(tmpdir(), `expert-relay-${name}-`)));
  // Processes end and start all the time here, so the messages about them go into a log.
  const log = home.log('harness');
  const write = (text: string | Uint8Array) => {
    appendFileSync(log, text);
    return true;
  };
  try {
    const terminal = createTerminal({ write });
    // No other worker of Jest starts services on these ports at the same time.
    const options = { home, terminal, remove: [home.path], anyPort: reservePort };
    const result = await withRun(options, work);
    if (!result || result.failures.length === 0) return result;
    const kept = join(root, '.relay-faults', basename(home.path));
    cpSync(home.file('logs'), kept, { recursive: true });
    return { ...result, remarks: [...result.remarks, `logs in ${kept}`] };
  } finally {
    rmSync(home.path, { recursive: true, force: true });
  }
}

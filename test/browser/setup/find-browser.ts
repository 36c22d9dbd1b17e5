import { runCommand } from '../../../scripts/processes/run-command.ts';
import { findOnPath } from '../../../scripts/servers/find-program.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of Chromium. If it is missing, it is installed on Debian and Ubuntu by root. */
export async function findBrowser(path = process.env.PATH ?? ''): Promise<string> {
  const existing = onPath(path);
  if (existing) return existing;
  let failure: Error | undefined;
  if (process.getuid?.() === 0) {
    await install('chromium').catch((error: Error) => {
      failure = error;
    });
  }
  const installed = onPath(path);
  if (installed) return installed;
  const reason = failure ? ` It could not be installed: ${failure.message}.` : '';
  throw new Error(
    `The browser tests need Chromium, and none of ${names.join(', ')} is on PATH.${reason} Install it (Debian, ` +
      'Ubuntu: sudo apt-get install -y chromium; macOS: brew install chromium), then run the tests again.',
  );
}

/** Debian's lists of packages may be missing or out of date. */
async function install(name: string): Promise<void> {
  const apt = (...args: string[]) =>
    runCommand({
      command: 'apt-get',
      args: ['-o', 'DPkg::Lock::Timeout=60', ...args],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 600_000,
      failure: `apt-get ${args.join(' ')} failed`,
    });
  const installing = () => apt('install', '-y', '--no-install-recommends', name);
  await installing().catch(() => apt('update').then(installing));
}

const onPath = (path: string): string | undefined => findOnPath(names, { path });

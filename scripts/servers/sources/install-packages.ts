import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { runCommand } from '../../processes/run-command.ts';

const policy = '/usr/sbin/policy-rc.d';
const mark = '# Left by Expert Relay; safe to remove.';

/** Installs packages as root, without letting the services in them start by themselves. */
export async function installPackages(names: readonly string[]): Promise<void> {
  const install = () => apt(['install', '-y', '--no-install-recommends', ...names]);
  const lift = forbidStarting();
  try {
    // Lists that are missing or out of date show by failing.
    await install().catch(() => apt(['update']).then(install));
  } finally {
    lift();
  }
  // Nor at the next boot: ours are started by the launcher alone. Not every package brings a service.
  const units = names.filter((name) => existsSync(`/lib/systemd/system/${name}.service`));
  if (units.length > 0 && existsSync('/run/systemd/system')) {
    await runCommand({
      command: 'systemctl',
      args: ['disable', ...units],
      failure: 'systemctl disable failed',
    });
  }
}

function apt(args: readonly string[]): Promise<string> {
  return runCommand({
    command: 'apt-get',
    args: ['-o', 'DPkg::Lock::Timeout=60', ...args],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 600_000,
    failure: `apt-get ${args.join(' ')} failed`,
  });
}

/** Debian's way to say so: a program that answers 101. One of the administrator's own stays as it is. */
function forbidStarting(): () => void {
  if (existsSync(policy) && !readFileSync(policy, 'utf8').includes(mark)) return () => undefined;
  writeFileSync(policy, `#!/bin/sh\n${mark}\nexit 101\n`, { mode: 0o755 });
  return () => rmSync(policy, { force: true });
}

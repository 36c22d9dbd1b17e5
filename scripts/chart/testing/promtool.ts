import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../../servers/find-program.ts';
import { cachedTool, run } from './cached-tool.ts';

/** `promtool` of the PATH, or else out of Debian's package, which is unpacked and not installed. */
async function findPromtool(): Promise<string | undefined> {
  const installed = findOnPath(['promtool']);
  if (installed || !existsSync('/etc/debian_version')) return installed;
  const folder = await cachedTool('promtool-debian', async (target) => {
    await run('apt-get', ['download', 'prometheus'], { cwd: target });
    await run('sh', ['-c', 'dpkg -x prometheus_*.deb . && rm -r prometheus_*.deb usr/bin/prometheus'], {
      cwd: target,
    });
  }).catch((error: Error) => {
    process.stderr.write(`promtool could not be unpacked: ${error.message}\n`);
    return undefined;
  });
  return folder && join(folder, 'usr/bin/promtool');
}

export const promtool = await findPromtool();
if (!promtool) {
  process.stderr.write(
    'There is no promtool: alerts and boards are not tried. Install Prometheus to try them.\n',
  );
}

import { delimiter } from 'node:path';
import { executables } from '../../../scripts/servers/find-program.ts';
import { installPackages } from '../../../scripts/servers/sources/debian.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium of this machine; on Debian and Ubuntu it is installed when we are root and there is none. */
export async function findBrowser(path = process.env.PATH ?? ''): Promise<string> {
  const here = onPath(path);
  if (here) return here;
  let trouble: Error | undefined;
  if (process.getuid?.() === 0) {
    await installPackages(['chromium']).catch((error: Error) => {
      trouble = error;
    });
  }
  const installed = onPath(path);
  if (installed) return installed;
  const tried = trouble ? ` It could not be installed: ${trouble.message}.` : '';
  throw new Error(
    `The browser tests need Chromium, and none of ${names.join(', ')} is on PATH.${tried} Install it (Debian, ` +
      'Ubuntu: sudo apt-get install -y chromium; macOS: brew install chromium), then run the tests again.',
  );
}

const onPath = (path: string): string | undefined =>
  executables(names, path.split(delimiter).filter(Boolean))[0];

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openPrivateFolder } from './private-folder.ts';

/** The state of one relay is separate from that of another: no relay sees keys made for another. */
export function openRelayFolder(folder: string, url: string): string {
  openPrivateFolder(folder);
  const address = withOneLoopbackName(url);
  const name = new URL(address).host.replace(/[^a-z0-9.-]/g, '_');
  // The digest of the whole address decides; the host is there for people.
  const digest = createHash('sha256').update(address).digest('hex').slice(0, 8);
  const path = join(folder, 'relays', `${name}-${digest}`);
  openPrivateFolder(path);
  return path;
}

/** The same local relay is written as localhost, 127.0.0.1 or [::1]: its keys must be found under each of them. */
function withOneLoopbackName(url: string): string {
  const address = new URL(url);
  if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(address.hostname)) return url;
  address.hostname = '127.0.0.1';
  return address.href.replace(/\/$/, '');
}

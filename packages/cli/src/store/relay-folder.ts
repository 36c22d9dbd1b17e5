import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openPrivateFolder } from './private-folder.ts';

/** What belongs to one relay is apart from what belongs to another: no relay sees keys made for another. */
export function openRelayFolder(folder: string, url: string): string {
  openPrivateFolder(folder);
  const name = new URL(url).host.replace(/[^a-z0-9.-]/g, '_');
  // The address as a whole decides, the host is for people.
  const digest = createHash('sha256').update(url).digest('hex').slice(0, 8);
  const path = join(folder, 'relays', `${name}-${digest}`);
  openPrivateFolder(path);
  return path;
}

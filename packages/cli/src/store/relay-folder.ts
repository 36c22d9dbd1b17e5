import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

/** The folder for one relay's state. Each relay has its own, so that none sees keys that were made for another. */
export function openRelayFolder(folder: string, url: string): string {
  makePrivateFolder(folder);
  const address = withOneSpelling(url);
  const name = new URL(address).host.replace(/[^a-z0-9.-]/g, '_');
  // The digest identifies the address; the host makes the name readable.
  const digest = createHash('sha256').update(address).digest('hex').slice(0, 8);
  const path = join(folder, 'relays', `${name}-${digest}`);
  makePrivateFolder(path);
  return path;
}

/**
 * An address has one folder, however it is spelled, or another spelling would know no expert. localhost, 127.0.0.1 and [::1] are the
 * same local relay.
 */
function withOneSpelling(url: string): string {
  const address = new URL(url);
  if (/^(localhost|\[::1\])$/.test(address.hostname)) address.hostname = '127.0.0.1';
  return address.href.replace(/\/$/, '');
}

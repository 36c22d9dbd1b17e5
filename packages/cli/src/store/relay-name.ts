import { createHash } from 'node:crypto';

/** Under what the state of one relay is stored. Each relay has its own, so that none sees keys that were made for another. */
export const relayName = (url: string): string =>
  createHash('sha256').update(withOneSpelling(url)).digest('hex').slice(0, 16);

/**
 * An address has one name, however it is spelled, or its conversations would not be found under another spelling. localhost,
 * 127.0.0.1 and [::1] are the same local relay.
 */
function withOneSpelling(url: string): string {
  const address = new URL(url);
  if (/^(localhost|\[::1\])$/.test(address.hostname)) address.hostname = '127.0.0.1';
  return address.href.replace(/\/$/, '');
}

import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/index.ts';

/** HTTP/1.1 asks for exactly one Host header. Node keeps the first of several without a word. */
export function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw new Problem('invalid_request', { detail: 'Send one Host header.' });
  }
}

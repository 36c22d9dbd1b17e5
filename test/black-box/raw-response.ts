import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/**
 * Sends bytes that need not be valid HTTP, and returns the response when the server has closed the connection. With
 * `drip`, this text is sent every 500 ms after them.
 */
export function rawResponse(
  baseUrl: string,
  bytes: string | Buffer,
  { drip, timeoutMs = 60_000 }: { drip?: string; timeoutMs?: number } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, () => drip || socket.end()));
    const dripping = drip && setInterval(() => socket.writable && socket.write(drip), 500);
    const tooLate = new Error(`the connection was not closed within ${timeoutMs / 1000} s`);
    const deadline = setTimeout(() => socket.destroy(tooLate), timeoutMs);
    socket.setEncoding('utf8').on('data', (piece) => {
      received += piece;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (dripping) clearInterval(dripping);
      clearTimeout(deadline);
      resolve(parse(received));
    });
  });
}

function parse(received: string): { status: number; headers: IncomingHttpHeaders; text: string } {
  const [head = '', text = ''] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
  });
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers: Object.fromEntries(headers), text };
}

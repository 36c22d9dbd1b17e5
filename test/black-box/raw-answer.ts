import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** What a server says to bytes that need not be HTTP, when nothing more comes; everything until it closes the connection. */
export function rawAnswer(
  baseUrl: string,
  bytes: string | Buffer,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(10_000, () => socket.destroy(new Error('the connection was not closed within 10 s')));
    socket.setEncoding('utf8').on('data', (piece) => {
      received += piece;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(parse(received)));
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

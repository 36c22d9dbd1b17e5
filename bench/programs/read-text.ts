import type { IncomingMessage } from 'node:http';

export function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece) => pieces.push(piece));
    request.once('end', () => resolve(Buffer.concat(pieces).toString()));
    request.once('error', reject);
  });
}

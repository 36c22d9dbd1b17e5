import { answerCommands } from './answer-commands.ts';
import { serve } from './serve.ts';

const listeners = new Set<{ write(bytes: Buffer): unknown }>();
const head = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** What Node needs to pass one topic's events on, and nothing besides: whatever is posted goes to everyone. */
const server = serve((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, head);
    response.write(': \n\n');
    listeners.add(response);
    response.once('close', () => listeners.delete(response));
    return;
  }
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => {
    const bytes = Buffer.from(`id: ${Date.now()}\ndata: ${Buffer.concat(pieces)}\n\n`);
    for (const listener of listeners) listener.write(bytes);
    response.writeHead(204).end();
  });
});
// Who publishes may be silent for a while, and keeps its connection.
server.keepAliveTimeout = 0;
answerCommands();

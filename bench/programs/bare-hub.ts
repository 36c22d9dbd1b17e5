import { answerCommands } from './answer-commands.ts';
import { serve } from './bare-server.ts';

const readers = new Set<{ write(bytes: Buffer): unknown }>();
const head = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** The least that Node needs to deliver the events of one topic: every posted body is sent to all readers. */
const server = serve((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, head);
    response.write(': \n\n');
    readers.add(response);
    response.once('close', () => readers.delete(response));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    const bytes = Buffer.from(`id: ${Date.now()}\ndata: ${Buffer.concat(chunks)}\n\n`);
    for (const reader of readers) reader.write(bytes);
    response.writeHead(204).end();
  });
});
// The publisher keeps its connection while it sends nothing.
server.keepAliveTimeout = 0;
answerCommands();

import { connect, JSONCodec } from 'nats';
import { answerCommands } from './answer-commands.ts';
import { serve } from './bare-server.ts';

const { NATS_URL: servers = '', BENCH_STREAM: stream = '' } = process.env;
const readers = new Map<string, { write(text: string): unknown }>();
const head = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
const codec = JSONCodec<{ requestId: string; event: unknown }>();

/** The least that Node needs to deliver each event to the one reader of its request. */
serve((request, response) => {
  const requestId = request.url?.split('/').at(-1) ?? '';
  response.writeHead(200, head);
  response.write(': \n\n');
  readers.set(requestId, response);
  response.once('close', () => readers.delete(requestId));
});
const connection = await connect({ servers });
connection.subscribe(stream, {
  callback(_error, message) {
    const { requestId, event } = codec.decode(message.data);
    readers.get(requestId)?.write(`id: ${Date.now()}\ndata: ${JSON.stringify(event)}\n\n`);
  },
});
await connection.flush();
answerCommands();

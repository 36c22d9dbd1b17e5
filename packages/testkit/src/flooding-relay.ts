import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const mebibyte = 2 ** 20;
/** The size of a whole response. */
const floodMebibytes = 512;

const text = Buffer.alloc(mebibyte, 'x');

/** Answers that seem endless to a client. */
const floods = {
  json: { status: 200, type: 'application/json', first: '{"name":"', piece: text },
  problem: { status: 400, type: 'application/problem+json', first: '{"detail":"', piece: text },
  stream: { status: 200, type: 'text/event-stream', first: ': hello\n\ndata: ', piece: text },
  // A gzip file may have many members, which are decompressed one after another.
  gzip: { status: 200, type: 'application/json', first: gzipSync('{"name":"'), piece: gzipSync(text) },
} as const;

export type Flood = keyof typeof floods;

export interface FloodingRelay {
  readonly url: string;
  /** Answers each call with this flood from now on. */
  answerWith(flood: Flood): void;
  /** How many connections were made, and how many are open now. */
  readonly connections: { made: number; open: number };
  stop(): Promise<void>;
}

/** A hostile server. It answers every call with more bytes than a client should read. */
export async function startFloodingRelay(): Promise<FloodingRelay> {
  let flood: Flood = 'json';
  const connections = { made: 0, open: 0 };
  const server = createServer((_request, response) => {
    const { status, type, first } = floods[flood];
    response.writeHead(status, {
      'content-type': type,
      ...(flood === 'gzip' && { 'content-encoding': 'gzip' }),
    });
    response.write(first);
    sendFlood(response, floods[flood].piece).catch(() => {});
  });
  server.on('connection', (socket) => {
    connections.made += 1;
    connections.open += 1;
    socket.once('close', () => {
      connections.open -= 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith(next) {
      flood = next;
    },
    connections,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function sendFlood(response: ServerResponse, piece: Buffer): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  for (let count = 0; count < floodMebibytes && !closed.signal.aborted; count += 1) {
    if (!response.write(piece)) await once(response, 'drain', { signal: closed.signal });
  }
  response.end();
}

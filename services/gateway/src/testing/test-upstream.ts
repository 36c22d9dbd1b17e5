import { hash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@expert-relay/kit/clock';
import type { KeysWithIds } from '@expert-relay/kit/config';
import { listen } from '@expert-relay/kit/http';
import {
  createPrincipalVerifier,
  type PrincipalVerifier,
  principalHeader,
  type VerifiedCall,
} from '@expert-relay/kit/principal';
import { reservePort } from '@expert-relay/testkit';

/** A call as it reached the service. */
export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** What the gateway has signed, if it is valid for this call and body. */
  readonly verified: VerifiedCall | undefined;
}

export interface TestUpstream {
  readonly url: string;
  /** The calls that arrived in full, oldest first. */
  readonly calls: ReceivedCall[];
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Answers instead of the usual 200, as soon as the head of a request arrives. */
  handler: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A service behind the gateway that records the calls it receives. */
export function createTestUpstream(audience: string, keys: KeysWithIds): TestUpstream {
  const verify: PrincipalVerifier = createPrincipalVerifier({
    audience,
    callers: {
      gateway: { keys, kinds: ['consumer', 'provider', 'nobody'] },
    },
    clock: systemClock,
  });
  const calls: ReceivedCall[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 75_000 });
  let url = '';

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', async (request, response) => {
    if (upstream.handler) {
      upstream.handler(request, response);
      return;
    }
    const { method = '', url = '', headers } = request;
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece);
    } catch {
      return;
    }
    const received = Buffer.concat(pieces);
    const { verified: head } = verify(headers[principalHeader]?.toString(), { method, path: url });
    const isBody = head?.bodyDigest && hash('sha256', received, 'buffer').equals(head.bodyDigest);
    const verified = isBody ? { principal: head.principal, callId: head.callId } : undefined;
    calls.push({ method, url, headers, body: received, verified });
    const body = JSON.stringify({ audience, method, url });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });

  const upstream: TestUpstream = {
    get url() {
      return url;
    },
    calls,
    sockets,
    handler: undefined,
    async start() {
      const port = url === '' ? await reservePort() : Number(new URL(url).port);
      url = await listen(server, '127.0.0.1', port);
    },
    stop() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
  return upstream;
}

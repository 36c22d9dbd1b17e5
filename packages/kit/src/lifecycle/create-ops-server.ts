import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../http/create-http-server.ts';
import type { Metrics } from '../metrics/index.ts';
import type { Part } from '../part/index.ts';
import type { Readiness } from './create-readiness.ts';

export interface OpsServer extends Part {
  readonly url: string;
}

/** Responds to probes and to Prometheus, on another port than the service, which the public cannot reach. */
export function createOpsServer(options: {
  host: string;
  opsPort: number;
  metrics: Metrics;
  readiness: () => Readiness;
}): OpsServer {
  const { metrics, readiness } = options;

  const server = createServer(async (request, response) => {
    switch (request.url?.split('?')[0]) {
      // Does not check dependencies, since restarting this process would not repair them.
      case '/livez':
        return respond(response, 200, 'ok');
      case '/readyz': {
        const state = readiness();
        return respond(response, state.ready ? 200 : 503, JSON.stringify(state), 'application/json');
      }
      case '/metrics':
        return respond(response, 200, await metrics.metrics(), metrics.contentType);
      default:
        return respond(response, 404, 'This server has /livez, /readyz and /metrics.');
    }
  });
  server.requestTimeout = 10_000;

  let url = '';
  return {
    name: 'ops server',
    get url() {
      return url;
    },
    async start() {
      url = await listen(server, options.host, options.opsPort);
    },
    stop() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function respond(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type }).end(text.endsWith('\n') ? text : `${text}\n`);
}

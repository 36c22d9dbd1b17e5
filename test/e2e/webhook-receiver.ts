import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  readonly event: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Record<string, string>;
  };
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Responds with this status from now on. */
  answer(status: number): void;
}

/** A receiver of webhooks, which keeps what it gets. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let status = 204;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { headers } = request;
      received.push({ headers, body, id: String(headers['webhook-id']), event: JSON.parse(body) });
      response.statusCode = status;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer(next) {
      status = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

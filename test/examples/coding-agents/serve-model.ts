import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A model on this machine. */
export interface ScriptedModel {
  readonly url: string;
  /** What it got for its calls of tools, in their order. */
  results(): readonly string[];
  stop(): Promise<void>;
}

/** Serves an API of a model. `answer` gets the path and the body of each POST. */
export async function serveModel(
  answer: (path: string, body: unknown, response: ServerResponse) => void,
): Promise<Omit<ScriptedModel, 'results'>> {
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    if (method === 'POST') answer(url, await json(request), response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type ModelEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** Sends these events as Server-Sent Events, and ends the response. */
export function sendEvents(response: ServerResponse, events: readonly ModelEvent[]): void {
  response.setHeader('content-type', 'text/event-stream');
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

import { once } from 'node:events';
import { createServer } from 'node:http';

/** Serves an empty page at a port, whose origin a test can add to RELAY_CORS_ORIGINS. */
export async function servePage(port: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>A page</title>');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

import { createServer, type RequestListener, type Server } from 'node:http';

/** A bare server, on the port that it was given. */
export function serve(handler: RequestListener): Server {
  return createServer(handler).listen(Number(process.env.BENCH_PORT), '127.0.0.1');
}

import { createServer, type RequestListener } from 'node:http';

/** A bare server, on the port that it was given. */
export function serve(handler: RequestListener): void {
  createServer(handler).listen(Number(process.env.BENCH_PORT), '127.0.0.1');
}

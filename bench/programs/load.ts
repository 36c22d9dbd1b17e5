import { connect } from 'node:net';
import { answerCommands } from './answer-commands.ts';
import { createResponseReader } from './response-reader.ts';
import { type TimedRun, timeRun } from './timed-run.ts';

interface Load {
  readonly port: number;
  /** Whole HTTP requests, sent in turn. */
  readonly requests: readonly string[];
  readonly count: number;
  readonly concurrency: number;
}

/** Sends a fixed number of requests over keep-alive connections. Each connection waits for the response. */
function runLoad({ port, requests, count, concurrency }: Load): Promise<TimedRun> {
  const texts = requests.map((text) => Buffer.from(text));
  const outcomes: Record<string, number> = {};
  let sent = 0;
  const next = () => (sent < count ? texts[sent++ % texts.length] : undefined);
  const onResponse = (status: number) => {
    outcomes[status] = (outcomes[status] ?? 0) + 1;
  };
  const connections = Array.from({ length: concurrency }, () => () => sendAll({ port, next, onResponse }));
  return timeRun(connections, outcomes);
}

/** Sends the requests of `next` over one connection, until there are no more. */
function sendAll(options: {
  port: number;
  next: () => Buffer | undefined;
  onResponse: (status: number) => void;
}): Promise<void> {
  const { port, next, onResponse } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const sendNext = () => {
      const request = next();
      if (request) socket.write(request);
      else socket.end(resolve);
    };
    const read = createResponseReader((status) => {
      onResponse(status);
      sendNext();
    });
    socket.once('connect', sendNext);
    socket.on('data', read);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection during the run')));
  });
}

answerCommands({ run: runLoad });

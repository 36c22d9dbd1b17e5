import { connect } from 'node:net';
import { createAnswerReader } from './answer-reader.ts';

/** One connection: sends what `next` gives, one request after the other, until it gives nothing. */
export function exchange(options: {
  port: number;
  next: () => Buffer | undefined;
  answered: (status: number) => void;
}): Promise<void> {
  const { port, next, answered } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const sendNext = () => {
      const request = next();
      if (request) socket.write(request);
      else socket.end(resolve);
    };
    const read = createAnswerReader((status) => {
      answered(status);
      sendNext();
    });
    socket.once('connect', sendNext);
    socket.on('data', read);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection during the run')));
  });
}

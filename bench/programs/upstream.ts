import { answerCommands } from './answer-commands.ts';
import { serve } from './bare-server.ts';

const answer = JSON.stringify({
  requestId: 'kq3vJ0VbT1mJw8z4c1yRrA',
  refCode: 'HS-7K2M9QXA',
  status: 'pending',
  responseCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-04T00:00:00.000Z',
});

/** The least that a service could do: it reads the body and sends a fixed answer. */
serve((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': answer.length,
      'cache-control': 'no-store',
    });
    response.end(answer);
  });
});
answerCommands();

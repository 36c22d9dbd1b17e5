import { Agent, request } from 'node:http';
import { answerCommands } from './answer-commands.ts';
import { serve } from './bare-server.ts';

const agent = new Agent({ keepAlive: true });
const port = Number(process.env.BENCH_UPSTREAM_PORT);

/** The least that Node needs to forward a call. */
serve((incoming, response) => {
  const { method, url: path, headers } = incoming;
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(outgoing);
});
answerCommands();

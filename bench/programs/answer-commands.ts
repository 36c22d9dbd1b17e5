import { createServer, type IncomingMessage, type Server } from 'node:http';
import { profileCommands } from './profile-commands.ts';
import { readUsage } from './read-usage.ts';

/** A command takes what was sent with it as JSON, and answers JSON. */
export type Commands = Record<string, (input: never) => unknown>;

/** Lets the bench ask this process, over a Unix socket of its own, for figures and for work. */
export function answerCommands(own: Commands = {}): Server {
  const commands: Record<string, ((input: never) => unknown) | undefined> = {
    usage: readUsage,
    ...profileCommands(),
    ...own,
  };
  const server = createServer(async (request, response) => {
    try {
      const command = commands[request.url?.slice(1) ?? ''];
      if (!command) throw new Error(`there is no command ${request.url}`);
      const answer = await command((await readInput(request)) as never);
      response.end(JSON.stringify(answer ?? null));
    } catch (error) {
      response.writeHead(500).end((error as Error).stack);
    }
  });
  // A command may take as long as it takes.
  server.requestTimeout = 0;
  // Nor is a connection closed while nothing is asked: the next question may be on its way.
  server.keepAliveTimeout = 0;
  return server.listen(process.env.BENCH_SOCKET);
}

async function readInput(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  return text === '' ? undefined : JSON.parse(text);
}

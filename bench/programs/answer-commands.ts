import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Session } from 'node:inspector/promises';

/** A command takes JSON and answers JSON. */
type Commands = Record<string, (input: never) => unknown>;

/** Lets the bench run commands in this process, over a Unix socket. */
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
      const result = await command((await readInput(request)) as never);
      response.end(JSON.stringify(result ?? null));
    } catch (error) {
      response.writeHead(500).end((error as Error).stack);
    }
  });
  // A command has no time limit.
  server.requestTimeout = 0;
  // An idle connection stays open, since the next command may already be on its way.
  server.keepAliveTimeout = 0;
  return server.listen(process.env.BENCH_SOCKET);
}

async function readInput(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

/** What a process has used until now, and the memory that it uses now. */
export interface Usage {
  /** CPU time of all its threads, in microseconds. */
  readonly cpu: number;
  /** Bytes. */
  readonly rss: number;
  readonly heap: number;
}

function readUsage(input?: { collectGarbage?: boolean }): Usage {
  if (input?.collectGarbage) for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { cpu: user + system, rss, heap: heapUsed };
}

/** The profiler of `node --cpu-prof`, but without start-up and warm-up. */
function profileCommands(): Commands {
  let session: Session | undefined;
  return {
    async startProfile() {
      session = new Session();
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 200 });
      await session.post('Profiler.start');
    },
    async stopProfile() {
      const stopped = await session?.post('Profiler.stop');
      session?.disconnect();
      return stopped?.profile;
    },
  };
}

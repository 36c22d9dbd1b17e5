import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { Ended, ServedCommand, ServedResult } from './command-server.ts';

/** A process that runs commands: starting one for each takes most of a command's CPU time. */
export interface CommandServer {
  run(command: Omit<ServedCommand, 'id' | 'path'>): Promise<Ended>;
  stop(): Promise<void>;
}

/** Starts it from the bundle with this program, in the folder that commands work in. */
export function startCommandServer(path: string, folder: string): CommandServer {
  const server = fork(join(dirname(path), 'command-server.js'), {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const closed = once(server, 'close');
  const running = new Map<number, (ended: Ended) => void>();
  server.on('message', ({ id, ended }: ServedResult) => {
    running.get(id)?.(ended);
    running.delete(id);
  });
  server.once('close', () => {
    const stderr = 'The process that runs commands has ended.';
    for (const resolve of running.values()) resolve({ code: null, stdout: '', stderr });
  });
  let last = 0;
  return {
    run: (command) =>
      new Promise((resolve) => {
        last += 1;
        running.set(last, resolve);
        server.send({ id: last, path, ...command } satisfies ServedCommand);
      }),
    async stop() {
      server.kill('SIGKILL');
      await closed;
    },
  };
}

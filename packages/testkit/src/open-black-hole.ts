import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A port at which connections are neither made nor refused: its process is stopped, and its queue is full. */
export async function openBlackHole(): Promise<{ port: number; close(): void }> {
  const program = `require('net').createServer().listen(0, '127.0.0.1', 1, function () { console.log(this.address().port) })`;
  const process = spawn(globalThis.process.execPath, ['--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(process.stdout, 'data')) as [Buffer];
  const port = Number(line);
  process.kill('SIGSTOP');
  const fillers = Array.from({ length: 4 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => {}));
  await once(fillers[0] as Socket, 'connect');
  return {
    port,
    close() {
      for (const socket of fillers) socket.destroy();
      process.kill('SIGKILL');
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/*
 * Node cannot set the size of a socket's receive buffer, and a large buffer accepts megabytes although nothing reads
 * them. Perl can, and is part of Debian and macOS.
 */
const program = `
use Socket; $| = 1;
my ($port, $count, $path) = @ARGV; my @open;
for (1 .. $count) {
  socket(my $socket, PF_INET, SOCK_STREAM, 0) or die;
  setsockopt($socket, SOL_SOCKET, SO_RCVBUF, 2048) or die;
  setsockopt($socket, 6, 2, 536);
  connect($socket, sockaddr_in($port, inet_aton('127.0.0.1'))) or die "connect: $!";
  syswrite($socket, "GET $path HTTP/1.1\\r\\nhost: x\\r\\naccept: text/event-stream\\r\\n\\r\\n");
  push @open, $socket;
}
print "open\\n";
sleep 600;
`;

/** Connections that request a stream and never read a byte of it. */
export async function openStuckReaders(hubUrl: string, path: string, count: number): Promise<Disposable> {
  const args = ['-e', program, new URL(hubUrl).port, String(count), path];
  const child = spawn('perl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('The readers that never read could not connect.');
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  return { [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

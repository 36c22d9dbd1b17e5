import type { Socket } from 'node:net';

interface HostileReceiver {
  readonly serve: (socket: Socket) => void;
  /** The `reason` of an attempt, if its deadline is less than five seconds. Null where the head of the response is a success. */
  readonly reason: string | null;
}

const head = 'HTTP/1.1 200 OK\r\n';
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;

/** Receivers of webhooks over plain http, by what is bad about them: "a receiver that ...". */
export const hostileReceivers: Readonly<Record<string, HostileReceiver>> = {
  'hangs after the connection': { serve: () => {}, reason: 'timed_out' },
  'answers after five seconds': {
    serve(socket) {
      const timer = setTimeout(() => socket.end(`${head}content-length: 0\r\n\r\n`), 5_000);
      socket.on('close', () => clearTimeout(timer));
    },
    reason: 'timed_out',
  },
  'sends its head byte by byte': { serve: (socket) => drip(socket, `${head}x: `), reason: 'timed_out' },
  'sends endless interim responses': {
    serve: (socket) => flood(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n'),
    reason: 'broken_off',
  },
  'sends endless interim responses of the most usual kind': {
    serve: (socket) => flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
    reason: 'broken_off',
  },
  'never ends its headers': { serve: (socket) => flood(socket, head, 'x: y\r\n'), reason: 'broken_off' },
  'sends huge headers': {
    serve: (socket) => void socket.write(`${head}x: ${'y'.repeat(500_000)}\r\n\r\n`),
    reason: 'broken_off',
  },
  'never ends its body': {
    serve: (socket) => flood(socket, `${head}\r\n`, 'x'.repeat(10_000)),
    reason: null,
  },
  'never ends its body of tiny parts': {
    serve: (socket) => flood(socket, chunked, '1\r\n\0\r\n'),
    reason: null,
  },
  'sends its body byte by byte': {
    serve(socket) {
      socket.write(`${head}content-length: 1000\r\n\r\n`);
      drip(socket, 'x'.repeat(900));
    },
    reason: null,
  },
  'resets the connection': {
    serve: (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    reason: 'broken_off',
  },
  'resets after its head': {
    serve: (socket) =>
      void socket.write(`${head}content-length: 1000\r\n\r\nx`, () =>
        setTimeout(() => socket.resetAndDestroy(), 100),
      ),
    reason: null,
  },
  'closes its half of the connection': { serve: (socket) => void socket.end(), reason: 'broken_off' },
  'closes the connection': {
    serve: (socket) => void socket.once('data', () => socket.destroy()),
    reason: 'broken_off',
  },
  'answers before it was asked': {
    serve: (socket) => void socket.end('HTTP/1.1 500 Early\r\ncontent-length: 2\r\n\r\nno'),
    reason: 'refused',
  },
  'does not speak HTTP': {
    serve: (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
    reason: 'broken_off',
  },
  'has two lengths': {
    serve: (socket) => void socket.write(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    reason: 'broken_off',
  },
  'switches the protocol': {
    serve: (socket) =>
      void socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    reason: 'broken_off',
  },
  'redirects to itself': {
    serve: (socket) => void socket.write('HTTP/1.1 307 Again\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'),
    reason: 'refused',
  },
};

/** A byte every 50 ms. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++] ?? 'x'), 50);
  socket.on('close', () => clearInterval(timer));
}

/** As fast as the other side reads. */
function flood(socket: Socket, first: string, text: string): void {
  const block = text.repeat(Math.ceil(65_536 / text.length));
  const send = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.write(first);
  socket.on('drain', send);
  send();
}

import { connect, type Socket } from 'node:net';

// All streams of this process read into the same memory: nothing is made for each piece that comes.
const buffer = Buffer.alloc(65_536);

/** One connection that listens. It says that it is open with the first block, not only with the head. */
export function openStream(options: {
  port: number;
  path: string;
  lastEventId?: string | undefined;
  onOpen: () => void;
  onBytes: (bytes: Buffer, length: number) => void;
}): Socket {
  const { port, path, lastEventId, onOpen, onBytes } = options;
  let isOpen = false;
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback(length) {
        if (!isOpen) {
          isOpen = true;
          onOpen();
        }
        onBytes(buffer, length);
        return true;
      },
    },
  });
  const position = lastEventId === undefined ? '' : `last-event-id: ${lastEventId}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n${position}\r\n`);
  socket.on('error', () => undefined);
  return socket;
}

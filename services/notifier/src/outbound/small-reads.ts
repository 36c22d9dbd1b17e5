import type { OnReadOpts, Socket } from 'node:net';

/**
 * Options of a socket that is read in parts of 4 KiB. A parser handles all that was read at once, even after the connection was
 * destroyed: with Node's usual 64 KiB, a hostile receiver can make it do ten milliseconds of work.
 */
export function smallReads(): { onread: OnReadOpts; useSocket: (socket: Socket) => void } {
  let socket: Socket | undefined;
  return {
    onread: {
      buffer: Buffer.allocUnsafe(4_096),
      // The buffer is used again for the next part.
      callback: (length, buffer) => socket?.push(Buffer.from(buffer.subarray(0, length))) ?? true,
    },
    useSocket: (opened) => {
      socket = opened;
    },
  };
}

const lineEnd = '\r\n';

/**
 * One chunk of HTTP/1.1's chunked encoding, ready to be written to any number of sockets. Node puts small Buffers
 * into memory blocks that they share.
 */
export function frame(content: string | Buffer): Buffer {
  const length = `${Buffer.byteLength(content).toString(16)}${lineEnd}`;
  if (typeof content === 'string') return Buffer.from(`${length}${content}${lineEnd}`);
  return Buffer.concat([Buffer.from(length), content, Buffer.from(lineEnd)]);
}

/** The same without the chunk around it, for HTTP/1.0 readers. */
export function unframed(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(lineEnd) + lineEnd.length, -lineEnd.length);
}

/** Ends a chunked answer. */
export const lastFrame = Buffer.from('0\r\n\r\n');

const lineEnd = '\r\n';

/**
 * A text as one chunk of HTTP/1.1's chunked encoding, ready to be written to any number of sockets. Node puts
 * small Buffers into memory blocks that they share.
 */
export function frame(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}${lineEnd}${text}${lineEnd}`);
}

/** The same without the chunk around it, for HTTP/1.0 readers. */
export function unframed(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(lineEnd) + lineEnd.length, -lineEnd.length);
}

/** Ends a chunked answer. */
export const lastFrame = Buffer.from('0\r\n\r\n');

const lineEnd = Buffer.from('\r\n');

/** A text as one chunk of HTTP/1.1's chunked encoding, ready to be written to any number of sockets. */
export function frame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = `${length.toString(16)}\r\n`;
  // From Node's pool: small frames share their memory blocks.
  const bytes = Buffer.allocUnsafe(head.length + length + lineEnd.length);
  bytes.write(head, 'latin1');
  bytes.write(text, head.length);
  lineEnd.copy(bytes, head.length + length);
  return bytes;
}

/** The same without the chunk around it, for HTTP/1.0 readers. */
export function unframed(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(lineEnd) + lineEnd.length, -lineEnd.length);
}

/** Ends a chunked answer. */
export const lastFrame = Buffer.from('0\r\n\r\n');

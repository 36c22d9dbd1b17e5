const empty: Buffer = Buffer.alloc(0);
const endOfHead = '\r\n\r\n';
const lastChunk = '\r\n0\r\n\r\n';

/**
 * Reads HTTP responses of one connection, and calls `onEnd` with the status of each. It parses as little as possible, so
 * that the load costs almost nothing: a body has a known length, or ends with the last chunk, whose text cannot occur
 * in JSON.
 */
export function createResponseReader(onEnd: (status: number) => void): (bytes: Buffer) => void {
  let kept: Buffer = empty;
  let status = 0;
  let missing = 0;
  let chunked = false;
  let inBody = false;

  function readHead(all: Buffer): Buffer | undefined {
    const end = all.indexOf(endOfHead);
    if (end < 0) return undefined;
    const head = all.toString('latin1', 0, end);
    status = Number(head.slice(9, 12));
    chunked = /\r\ntransfer-encoding: chunked/i.test(head);
    missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    inBody = true;
    // In a chunked body without data, the last chunk begins with this line break.
    return all.subarray(chunked ? end + 2 : end + 4);
  }

  return (bytes) => {
    let rest = kept.length > 0 ? Buffer.concat([kept, bytes]) : bytes;
    kept = empty;
    if (!inBody) {
      const body = readHead(rest);
      if (!body) {
        kept = rest;
        return;
      }
      rest = body;
    }
    if (chunked) {
      const end = rest.subarray(-lastChunk.length);
      if (end.toString('latin1') !== lastChunk) {
        kept = Buffer.from(end);
        return;
      }
    } else {
      missing -= rest.length;
      if (missing > 0) return;
    }
    inBody = false;
    onEnd(status);
  };
}

const none: Buffer = Buffer.alloc(0);
const endOfHead = '\r\n\r\n';
const lastChunk = '\r\n0\r\n\r\n';

/**
 * Reads answers that come one at a time, and tells each one's status at its end. Knows as little of HTTP
 * as will do, so that the load costs next to nothing: a body is counted, or ends with the last chunk (in
 * JSON no line break stands by itself).
 */
export function createAnswerReader(onEnd: (status: number) => void): (bytes: Buffer) => void {
  let kept: Buffer = none;
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
    // A chunked body without any chunk has the line break before its last chunk here.
    return all.subarray(chunked ? end + 2 : end + 4);
  }

  return (bytes) => {
    let rest = kept.length > 0 ? Buffer.concat([kept, bytes]) : bytes;
    kept = none;
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

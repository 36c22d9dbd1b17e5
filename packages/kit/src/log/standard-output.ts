import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

export interface StandardOutput extends DestinationStream {
  /** Writes what waits before the process ends. Pino calls it after a fatal line, too. */
  flushSync(): void;
}

const writeAtLength = 4_096;
const flushDelayMs = 100;
const maxWaitingLength = 4 * 1024 * 1024;
const syncAttempts = 10;
const none = Buffer.alloc(0);
const newline = 10;

/**
 * Writes many lines at once, since a write costs more than making a line: when there are enough of them, after `flushDelayMs`,
 * and at the end of the process. While a full disk, or a reader that has stopped, takes none, lines are lost: the service
 * goes on, and its memory does not grow. A line reports later how many were lost.
 */
export function openStandardOutput(service: string, fd = 1): StandardOutput {
  let waiting = '';
  /** Being written, or what is left of that. */
  let current = none;
  /** Whether the last byte that was written ends a line: a full disk may have taken the beginning of one. */
  let endsLine = true;
  let isWriting = false;
  let isFlushDue = false;
  let lost = 0;
  let isRegistered = false;

  function flushLater(): void {
    if (isFlushDue) return;
    isFlushDue = true;
    setTimeout(() => {
      isFlushDue = false;
      flush();
    }, flushDelayMs).unref();
  }

  function flush(): void {
    if (isWriting) return;
    if (current.length === 0) {
      if (waiting === '') return;
      current = Buffer.from(endsLine ? waiting : `\n${waiting}`);
      waiting = '';
    }
    isWriting = true;
    write(fd, current, (error, written) => {
      isWriting = false;
      if (error) {
        // A pipe whose reader is slow takes it later.
        if (error.code !== 'EAGAIN') drop();
        flushLater();
        return;
      }
      if (written > 0) endsLine = current[written - 1] === newline;
      current = current.subarray(written);
      if (current.length === 0 && lost > 0) reportLost();
      if (current.length > 0 || waiting.length >= writeAtLength) flush();
      else if (waiting !== '') flushLater();
    });
  }

  function drop(): void {
    lost += current.toString().split('\n').length - 1;
    current = none;
  }

  function reportLost(): void {
    const line = { level: 'warn', time: new Date().toISOString(), service, lines: lost };
    waiting += `${JSON.stringify({ ...line, msg: 'log lines could not be written and are lost' })}\n`;
    lost = 0;
  }

  function flushSync(): void {
    const bytes = Buffer.concat([isWriting ? none : current, Buffer.from(waiting)]);
    waiting = '';
    if (!isWriting) current = none;
    let offset = 0;
    for (let attempt = 0; offset < bytes.length && attempt < syncAttempts; ) {
      try {
        offset += writeSync(fd, bytes, offset);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        attempt += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, flushDelayMs);
      }
    }
  }
  return {
    write(line) {
      if (!isRegistered) process.on('exit', flushSync);
      isRegistered = true;
      if (waiting.length + line.length > maxWaitingLength) {
        lost += 1;
        return;
      }
      waiting += line;
      if (waiting.length >= writeAtLength) flush();
      else flushLater();
    },
    flushSync,
  };
}

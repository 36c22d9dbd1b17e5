import { closeSync, openSync, readSync } from 'node:fs';

/** Hands on each line that is added to a file, until the answer is called. */
export function followLines(file: string, line: (text: string) => void, every = 100): () => void {
  const buffer = Buffer.alloc(64 * 1024);
  let position = 0;
  let rest = '';

  function look(): void {
    const descriptor = openSync(file, 'r');
    const length = readSync(descriptor, buffer, 0, buffer.length, position);
    closeSync(descriptor);
    position += length;
    const lines = `${rest}${buffer.toString('utf8', 0, length)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) line(text);
  }

  const timer = setInterval(look, every);
  return () => clearInterval(timer);
}

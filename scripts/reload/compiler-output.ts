import { closeSync, openSync, readSync } from 'node:fs';

/** Reads the output of the watching compiler; reports its errors when they have changed or are repaired. */
export function createErrorReporter(report: (line: string) => void): (line: string) => void {
  let errors: string[] = [];
  let reported = '';

  return (line) => {
    if (/error TS\d+/.test(line)) errors.push(line);
    if (!/Found \d+ errors?\./.test(line)) return;
    const found = errors.join('\n');
    if (found !== reported) for (const error of errors) report(error);
    if (found === '' && reported !== '') report('The code compiles again.');
    [errors, reported] = [[], found];
  };
}

/** Calls back with each line that is added to a file, until the result is called. */
export function followLines(file: string, line: (text: string) => void, everyMs = 100): () => void {
  const buffer = Buffer.alloc(64 * 1024);
  let position = 0;
  let rest = '';

  function read(): void {
    const descriptor = openSync(file, 'r');
    const length = readSync(descriptor, buffer, 0, buffer.length, position);
    closeSync(descriptor);
    position += length;
    const lines = `${rest}${buffer.toString('utf8', 0, length)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) line(text);
  }

  const timer = setInterval(read, everyMs);
  return () => clearInterval(timer);
}

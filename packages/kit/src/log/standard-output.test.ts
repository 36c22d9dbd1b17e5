import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openStandardOutput } from './standard-output.ts';

let folder: string;
let pipe: number;
const lineOf = (index: number) => `${JSON.stringify({ index, text: 'é'.repeat(500) })}\n`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-output-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
});
afterEach(() => {
  closeSync(pipe);
  rmSync(folder, { recursive: true });
});

/** Reads what is in the pipe now. */
function readPipe(): Buffer {
  const bytes = Buffer.alloc(1_000_000);
  try {
    return bytes.subarray(0, readSync(pipe, bytes));
  } catch {
    return Buffer.alloc(0);
  }
}

interface Line {
  readonly index?: number;
  readonly msg?: string;
}

/** Reads the pipe until the lines are complete. */
async function readLines(areComplete: (lines: readonly Line[]) => boolean): Promise<readonly Line[]> {
  let read = Buffer.alloc(0);
  return await eventually('the lines', () => {
    read = Buffer.concat([read, readPipe()]);
    const whole = read.subarray(0, read.lastIndexOf('\n') + 1).toString();
    const lines: Line[] = whole
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    return areComplete(lines) ? lines : undefined;
  });
}

test('a pipe that is full gets all lines in order once its reader goes on', async () => {
  const output = openStandardOutput('test', pipe);
  for (let index = 0; index < 500; index += 1) output.write(lineOf(index));
  const lines = await readLines(({ length }) => length === 500);
  expect(lines.map(({ index }) => index)).toEqual(Array.from({ length: 500 }, (_, index) => index));
});

test('a reader that has stopped costs a limited memory: later lines are lost, and counted', async () => {
  const output = openStandardOutput('test', pipe);
  const count = 10_000;
  for (let index = 0; index < count; index += 1) output.write(lineOf(index));
  const isReport = ({ msg }: Line) => msg === 'log lines could not be written and are lost';
  const lines = await readLines((all) => all.some(isReport));
  const indexes = lines.flatMap(({ index }) => (index === undefined ? [] : [index]));
  expect(indexes).toEqual(indexes.map((_, index) => index));
  expect(lines.find(isReport)).toMatchObject({
    level: 'warn',
    service: 'test',
    lines: count - indexes.length,
  });
});

test.each([
  ['a full disk', () => openSync('/dev/full', 'w')],
  ['a descriptor that is closed', () => 9_999],
])('%s does not stop the process: lines are lost', async (_, open) => {
  const output = openStandardOutput('test', open());
  for (let index = 0; index < 100; index += 1) output.write(lineOf(index));
  await new Promise((resolve) => setTimeout(resolve, 300));
  output.write(lineOf(100));
  output.flushSync();
});

test('at the end of the process, what waits is written', () => {
  const output = openStandardOutput('test', pipe);
  output.write(lineOf(1));
  output.flushSync();
  expect(readPipe().toString()).toBe(lineOf(1));
});

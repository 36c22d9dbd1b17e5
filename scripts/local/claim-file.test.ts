import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { identify } from '../processes/process-identity.ts';
import { byThisProcess, claimFile } from './claim-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claim file-'));
  file = join(folder, 'claim');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ended = JSON.stringify({ pid: process.pid, identity: 'an earlier life' });

/** Claims a port again and again, and leaves the claim each time as a process that was killed does. */
const racer = () => `
  import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
  import { openPortClaims } from './port-claims.ts';
  const claims = openPortClaims(${JSON.stringify(folder)});
  const file = ${JSON.stringify(join(folder, '20001'))};
  const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  for (let turns = 0; turns < 150; ) {
    if (!claims.claim(20_001)) {
      pause();
      continue;
    }
    // Fails when another process is inside.
    mkdirSync(file + '.inside');
    pause();
    rmdirSync(file + '.inside');
    const left = file + '.left-by-' + process.pid;
    writeFileSync(left, ${JSON.stringify(ended)});
    renameSync(left, file);
    turns += 1;
  }`;

describe('a claimed file', () => {
  test('names this process, and nothing is left beside it', () => {
    expect(claimFile(file, byThisProcess)).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      pid: process.pid,
      identity: identify(process.pid),
    });
    expect(claimFile(file, byThisProcess)).toBe(false);
    expect(readdirSync(folder)).toEqual(['claim']);
  });

  test.each([ended, '{"pid":', ''])('of a process that has ended is replaced: %s', (left) => {
    for (const path of [file, `${file}.replacement`]) writeFileSync(path, left);
    expect(claimFile(file, { ...byThisProcess, textAfter: (text) => `after ${text}` })).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(`after ${left}`);
    expect(readdirSync(folder)).toEqual(['claim']);
  });

  test('is replaced by one process at a time', async () => {
    const program = join(folder, 'racer.mjs');
    await build({
      stdin: { contents: racer(), resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    const ends = Array.from({ length: 5 }, async () => {
      const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
      let errors = '';
      child.stderr.on('data', (text) => {
        errors += text;
      });
      const [code] = await once(child, 'close');
      return { code, errors };
    });
    expect(await Promise.all(ends)).toEqual(Array(5).fill({ code: 0, errors: '' }));
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { createFileStore } from './file-store.ts';

/* What a store has after a process was killed in the middle of a write. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-file-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const calls = {
  set: `store.set('expert', 'new')`,
  remember: `store.remember('secret', 'new')`,
} as const;

/** Ends itself without warning when half of the file was written. */
const writer = (path: string, call: string) => `
  import { open } from 'node:fs/promises';
  import { createFileStore } from './file-store.ts';
  const file = await open(process.argv[1]);
  Object.getPrototypeOf(file).sync = async function () {
    await this.truncate(Math.floor((await this.stat()).size / 2));
    process.kill(process.pid, 'SIGKILL');
  };
  const store = createFileStore(${JSON.stringify(path)});
  await ${call};`;

test.each(Object.entries(calls))(
  'a kill in the middle of a write of %s leaves what was there',
  async (_what, call) => {
    const path = join(folder, 'store');
    const store = createFileStore(path);
    await store.set('expert', 'old');
    const program = join(folder, 'writer.mjs');
    await build({
      stdin: { contents: writer(path, call), resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    const { signal, stderr } = spawnSync(process.execPath, [program]);
    expect({ signal, stderr: String(stderr) }).toEqual({ signal: 'SIGKILL', stderr: '' });

    const drafts = () =>
      readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.new'));
    const [left = ''] = drafts();
    expect(left).not.toBe('');
    const later = createFileStore(path);
    expect([await later.get('expert'), await later.names('')]).toEqual(['old', ['expert']]);
    expect(await later.remember('secret', 'first')).toBe('first');
    // Another process may still write it. The file of one that was killed is removed a day later.
    expect(drafts()).toEqual([left]);
    const old = Date.now() / 1_000 - 25 * 3_600;
    utimesSync(join(path, left), old, old);
    expect(await createFileStore(path).get('expert')).toBe('old');
    expect(drafts()).toEqual([]);
  },
);

test('a folder that the system does not make is an error', async () => {
  await expect(createFileStore('/proc/relay/a').names('')).rejects.toThrow('ENOENT');
});

test('programs that make the same folder at the same time do not disturb each other', async () => {
  for (let round = 0; round < 20; round += 1) {
    const path = join(folder, `${round}`, 'one', 'above', 'another');
    const names = Array.from({ length: 10 }, async (_, index) => {
      // Each begins in the middle of another one.
      for (let step = 0; step < index; step += 1) await stat(folder);
      return await createFileStore(path).names('');
    });
    expect(await Promise.all(names)).toEqual(names.map(() => []));
  }
});

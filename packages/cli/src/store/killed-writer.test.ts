import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { createPrivate, readPrivate, writePrivate } from './private-file.ts';
import { makePrivateFolder } from './private-folder.ts';

/* What is left by a process that is killed in the middle of a write. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-killed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Ends itself without warning when half of the file was written. */
const writer = (call: string, path: string) => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import * as files from './private-file.ts';
  fs.fsyncSync = (file) => {
    fs.ftruncateSync(file, Math.floor(fs.fstatSync(file).size / 2));
    process.kill(process.pid, 'SIGKILL');
  };
  syncBuiltinESMExports();
  files.${call}(${JSON.stringify(path)}, 'new new new new');`;

async function killIn(call: string, path: string): Promise<void> {
  const program = join(folder, 'writer.mjs');
  await build({
    stdin: { contents: writer(call, path), resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  const { signal, stderr } = spawnSync(process.execPath, [program]);
  expect({ signal, stderr: String(stderr) }).toEqual({ signal: 'SIGKILL', stderr: '' });
}

test.each(['writePrivate', 'createPrivate'])(
  '%s: the old text, and a draft that is removed a day later',
  async (call) => {
    const state = join(folder, 'state');
    const path = join(state, 'file.json');
    if (call === 'writePrivate') writePrivate(path, 'old');
    await killIn(call, path);
    expect(readPrivate(path)).toBe(call === 'writePrivate' ? 'old' : undefined);
    const drafts = () => readdirSync(state).filter((name) => name.endsWith('.new'));
    const [draft = ''] = drafts();
    expect(readFileSync(join(state, draft), 'utf8')).toBe('new new');
    // Another process may still write it.
    await killIn(call, path);
    expect(drafts()).toHaveLength(2);
    const old = Date.now() / 1_000 - 25 * 3_600;
    utimesSync(join(state, draft), old, old);
    // A process cleans a folder once. This one has used it under its own name.
    makePrivateFolder(`${state}/.`);
    expect(drafts()).toHaveLength(1);
    expect(drafts()).not.toContain(draft);
    // What is written then is whole.
    if (call === 'createPrivate') expect(createPrivate(path, 'whole')).toBe(true);
    else writePrivate(path, 'whole');
    expect(readPrivate(path)).toBe('whole');
  },
);

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openAttachableFolder } from './attachable-folder.ts';

let base: string;
let folder: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'relay-files-'));
  folder = join(base, 'allowed');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  mkdirSync(join(base, 'allowed-not'));
  for (const path of ['allowed/a.log', 'allowed/sub/b.PNG', 'allowed/..c', 'allowed-not/d.txt', 'secret.txt'])
    writeFileSync(join(base, path), `content of ${path}`);
  symlinkSync('sub/b.PNG', join(folder, 'within.png'));
  symlinkSync('../secret.txt', join(folder, 'out.txt'));
  symlinkSync('..', join(folder, 'up'));
  symlinkSync('/dev/zero', join(folder, 'device'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  symlinkSync(folder, join(base, 'alias'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'large.bin'), '');
  truncateSync(join(folder, 'large.bin'), 700_001);
});
afterAll(() => rmSync(base, { recursive: true }));

describe('a file of the folder may be attached', () => {
  test.each<[string, string, string, string]>([
    ['a relative path', 'a.log', 'a.log', 'text/plain'],
    ['a path in a folder', 'sub/../sub/b.PNG', 'b.PNG', 'image/png'],
    ['a name that begins with two dots', '..c', '..c', 'application/octet-stream'],
    ['a link to another file of the folder', 'within.png', 'b.PNG', 'image/png'],
  ])('by %s', (_how, path, name, mediaType) => {
    for (const root of [folder, `${folder}/`, join(base, 'alias')]) {
      const file = openAttachableFolder(root).read(path);
      expect(file).toMatchObject({ name, mediaType });
      expect(Buffer.from(file.bytes).toString()).toContain(name);
    }
  });

  test('by an absolute path', () => {
    expect(openAttachableFolder(folder).read(join(folder, 'a.log'))).toMatchObject({ name: 'a.log' });
    expect(openAttachableFolder(join(base, 'alias')).read(join(base, 'alias/a.log')).name).toBe('a.log');
  });
});

describe('nothing else may be attached', () => {
  const outside = 'There is no file';
  test.each<[string, string, string]>([
    ['a path that leads up', '../secret.txt', outside],
    ['a path that leads up and does not exist', '../nothing.txt', outside],
    ['a path through a folder that leads up', 'sub/../../secret.txt', outside],
    ['a folder whose name begins like this one', '../allowed-not/d.txt', outside],
    ['an absolute path', '/etc/passwd', outside],
    ['a link that leads out', 'out.txt', outside],
    ['a path through a link that leads out', 'up/secret.txt', outside],
    ['a path out of the folder and back into it', 'up/allowed-not/d.txt', outside],
    ['a link to a device', 'device', outside],
    ['a link to nothing', 'dangling', outside],
    ['a file that does not exist', 'nothing.txt', outside],
    ['the folder', '.', outside],
    ['its parent', '..', outside],
    ['a path with NUL', 'a.log\u0000.txt', outside],
    ['a folder in it', 'sub', 'it is no file'],
    ['a pipe', 'pipe', 'it is no file'],
    ['a file that is too large', 'large.bin', 'it has 700001 bytes'],
  ])('such as %s', (_what, path, words) => {
    const read = () => openAttachableFolder(folder).read(path);
    expect(read).toThrow(
      expect.objectContaining({ outcome: 'usage', message: expect.stringContaining(words) }),
    );
    expect(read).not.toThrow(/secret\.txt exists|content of/);
  });

  test('from a folder that is none', () => {
    for (const path of [join(folder, 'a.log'), join(base, 'nowhere')]) {
      expect(() => openAttachableFolder(path)).toThrow(/--files: .* is no folder/);
    }
  });

  test('by a folder that is replaced by a link again and again', async () => {
    const files = { [join(folder, 'flip')]: 'inside', [join(base, 'flip')]: 'outside' };
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(path);
      writeFileSync(join(path, 'a.txt'), content);
    }
    symlinkSync('../flip', join(folder, 'link'));
    const flipping = spawn(process.execPath, ['-e', flip, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(flipping.stdout, 'data');
      const within = openAttachableFolder(folder);
      const seen = new Set<string>();
      for (let reads = 0; reads < 20_000; reads += 1) {
        try {
          seen.add(Buffer.from(within.read('flip/a.txt').bytes).toString());
        } catch (error) {
          expect(error).toMatchObject({ outcome: 'usage' });
        }
      }
      expect([...seen]).toEqual(['inside']);
    } finally {
      flipping.kill();
      await once(flipping, 'exit');
    }
  });
});

/** Swaps the folder `flip` and the link `link` until it is killed. */
const flip = `
  const { renameSync } = require('node:fs');
  process.chdir(process.argv[1]);
  for (let count = 0; ; count += 1) {
    for (const [from, to] of [['flip', 'kept'], ['link', 'flip'], ['flip', 'link'], ['kept', 'flip']]) renameSync(from, to);
    if (count === 0) console.log('ready');
  }
`;

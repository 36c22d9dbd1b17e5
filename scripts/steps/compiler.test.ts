import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../local/home.ts';
import { findCompiler } from './build.ts';

test.each([
  ['a type error', "export const made: number = 'later';"],
  ['a syntax error', 'export const made = ;'],
])('code with %s leaves the last good build as it is', async (_name, broken) => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-compile-'));
  const at = (file: string) => join(folder, file);
  mkdirSync(at('src'));
  symlinkSync(join(root, 'node_modules'), at('node_modules'));
  writeFileSync(at('package.json'), '{ "type": "module" }');
  // As each workspace has it.
  const compilerOptions = { composite: true, rootDir: 'src', outDir: 'dist' };
  const settings = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['src'] };
  writeFileSync(at('tsconfig.json'), JSON.stringify(settings));
  const compiler = await findCompiler();
  let seconds = Date.now() / 1000;
  const compile = (code: string) => {
    writeFileSync(at('src/main.ts'), code);
    // The compiler goes by times, and a clock of files may stand still for the length of a build.
    seconds += 60;
    utimesSync(at('src/main.ts'), seconds, seconds);
    execFileSync(compiler, ['--build', folder], { stdio: 'pipe' });
  };
  try {
    compile("export const made = 'first';");
    expect(() => compile(broken)).toThrow(/Command failed/);
    expect(readFileSync(at('dist/main.js'), 'utf8')).toContain("made = 'first'");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

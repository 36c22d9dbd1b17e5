import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { root } from './tree.ts';

/* What a browser loads before it can show the experts' web app, and before the first question is read. */

/** Of the first load, after gzip: 130 kB, rounded. Settings and conversations are loaded on demand. */
const firstLimit = 130_000;
/** Until the first question is read, as browsers get it, after Brotli: 160 kB. What an answer needs is loaded later. */
const questionLimit = 160_000;
/** The conversation, with the part of the SDK that reads it and the code that formats texts, and the times beside them. */
const questionChunks = ['conversation', 'exact-time'];

/** The built files by their paths in the folder. */
type Build = ReadonlyMap<string, string>;

const base = '/dashboard/';
// Does not match `import('./a.js')`, which loads on demand.
const staticImport = /\b(?:import|from)\s*(["'])(\.{1,2}\/[^"']+)\1/g;

/** These files, and all static imports of scripts. */
function withImports(build: Build, paths: readonly string[]): string[] {
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    const text = build.get(path);
    if (text === undefined)
      throw new Error(`${path} is not in the build, but the page loads it. Build the web app.`);
    loaded.add(path);
    if (!path.endsWith('.js')) return;
    for (const [, , specifier = ''] of text.matchAll(staticImport)) {
      load(posix.join(posix.dirname(path), specifier));
    }
  };
  for (const path of paths) load(path);
  return [...loaded];
}

/** The scripts, style sheets and preloaded modules of the page, and all their static imports. */
function firstLoad(build: Build): string[] {
  const paths: string[] = [];
  for (const [tag] of (build.get('index.html') ?? '').matchAll(/<(?:script|link)\b[^>]*>/g)) {
    if (tag.startsWith('<link') && !/\brel="(?:stylesheet|modulepreload)"/.test(tag)) continue;
    const [, path] = /\b(?:src|href)="([^"]+)"/.exec(tag) ?? [];
    if (path?.startsWith(base)) paths.push(path.slice(base.length));
  }
  return withImports(build, paths);
}

/** A file that is loaded on demand, with the scripts and style sheets that Vite loads with it. */
function loadedOnDemand(build: Build, name: string): string[] {
  const call = new RegExp(
    `import\\([\`"']\\./${name}-[\\w-]{8}\\.js[\`"']\\).*?__vite__mapDeps\\(\\[([\\d,]*)\\]\\)`,
    's',
  );
  for (const text of build.values()) {
    const [, indices] = call.exec(text) ?? [];
    const [, list] = /__vite__mapDeps=.*?\.f=(\[.*?\])/.exec(text) ?? [];
    if (indices === undefined || list === undefined) continue;
    const paths: string[] = JSON.parse(list);
    return withImports(
      build,
      indices.split(',').map((index) => paths[Number(index)] ?? ''),
    );
  }
  throw new Error(`No file loads ${name} on demand.`);
}

function readBuild(): Build {
  const folder = join(root, 'services/dashboard/web/dist');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(html|js|css)$/.test(name),
  );
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

const sizeOf = (build: Build, paths: readonly string[], compress: (text: string) => Buffer): number =>
  paths.reduce((sum, path) => sum + compress(build.get(path) ?? '').length, 0);

describe('the first load of the web app', () => {
  test('contains all files that the page names, and their static imports', () => {
    const build = new Map([
      [
        'index.html',
        `<script type="module" crossorigin src="/dashboard/assets/index-1.js"></script>
        <script src="/dashboard/old.js"></script>
        <link rel="modulepreload" crossorigin href="/dashboard/assets/near-2.js">
        <link rel="stylesheet" crossorigin href="/dashboard/assets/index-3.css">
        <link rel="icon" href="/dashboard/icons/icon.svg">`,
      ],
      ['assets/index-1.js', 'import{a as b}from"./shared-4.js";import"./effect-5.js";import("./later-6.js")'],
      ['assets/shared-4.js', 'export{x}from"./deep-7.js";const a=1;export{a}'],
      ...['near-2.js', 'index-3.css', 'effect-5.js', 'later-6.js', 'deep-7.js'].map(
        (name) => [`assets/${name}`, ''] as const,
      ),
      ['old.js', ''],
    ]);
    const names = firstLoad(build).map((path) => posix.basename(path));
    expect(names.sort()).toEqual(
      ['deep-7.js', 'effect-5.js', 'index-1.js', 'index-3.css', 'near-2.js', 'old.js', 'shared-4.js'].sort(),
    );
    build.delete('assets/deep-7.js');
    expect(() => firstLoad(build)).toThrow('assets/deep-7.js is not in the build');
  });

  test('is at most 130 kB after gzip: load on demand what the inbox does not need', () => {
    const build = readBuild();
    const paths = firstLoad(build);
    expect(paths.filter((path) => path.endsWith('.js'))).not.toEqual([]);
    expect(sizeOf(build, paths, (text) => gzipSync(text, { level: 9 }))).toBeLessThanOrEqual(firstLimit);
  });

  test('is at most 160 kB with what the first question needs: load later what only an answer needs', () => {
    const build = readBuild();
    const paths = new Set(['index.html', ...firstLoad(build)]);
    for (const name of questionChunks) for (const path of loadedOnDemand(build, name)) paths.add(path);
    expect([...paths].filter((path) => path.endsWith('.css')).length).toBeGreaterThan(1);
    expect(sizeOf(build, [...paths], brotliCompressSync)).toBeLessThanOrEqual(questionLimit);
  });
});

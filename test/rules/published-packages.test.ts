import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packages } from '../../scripts/release/publish.ts';
import { root } from './tree.ts';

const folders = packages.map((name) => `packages/${name}`);

test.each(folders)('the exports of %s can be imported after an installation', async (folder) => {
  const { messages, pkg = {} } = await publint({ pkgDir: join(root, folder), pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

// The command line is a bundle, and has none.
const compiled = folders.filter((folder) => folder !== 'packages/cli');

test.each(compiled)('the source maps of %s contain their sources', (folder) => {
  const dist = join(root, folder, 'dist');
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  expect(maps.length).toBeGreaterThan(5);
  const withoutSources = maps.filter((name) => {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(dist, name), 'utf8'));
    // Files of an earlier build are not in a fresh checkout, and so are not published.
    const isCurrent = existsSync(join(dist, dirname(name), sources[0]));
    return isCurrent && sources.length !== sourcesContent.length;
  });
  expect(withoutSources).toEqual([]);
});

// npm publishes the file LICENSE of a package, not that of the repository.
test.each(folders)('%s has the license', (folder) => {
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  expect(text(`${folder}/LICENSE`)).toBe(text('LICENSE'));
});

test('the command line runs as it is unpacked, without another package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-package-'));
  try {
    const options = ['--ignore-scripts', '--silent', '--pack-destination', folder];
    execFileSync('npm', ['pack', '--workspace', 'packages/cli', ...options], { cwd: root });
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    execFileSync('tar', ['-xf', `expert-relay-cli-${version}.tgz`], { cwd: folder });
    const relay = (args: readonly string[], input = '') =>
      execFileSync(process.execPath, ['package/bin/relay.mjs', ...args], {
        cwd: folder,
        env: { HOME: folder, RELAY_URL: 'http://127.0.0.1:9', RELAY_API_KEY: 'hs_key' },
        input,
        encoding: 'utf8',
      });
    expect(relay(['--version'])).toBe(`${version}\n`);
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    expect(JSON.parse(relay(['mcp'], `${JSON.stringify(initialize)}\n`))).toMatchObject({
      result: { serverInfo: { version } },
    });
    expect(readdirSync(join(folder, 'package/dist')).sort()).toEqual(['LICENSES.txt', 'relay.js']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the licenses of the command line name the packages that the MCP SDK contains', () => {
  const dist = join(root, 'node_modules/@modelcontextprotocol/server/dist');
  // Its modules for Cloudflare are not part of the bundle.
  const maps = readdirSync(dist).filter((name) => /^(?!cfWorker).*\.mjs\.map$/.test(name));
  const sources = maps.flatMap((name) => JSON.parse(readFileSync(join(dist, name), 'utf8')).sources);
  const names = sources.flatMap(
    (path: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  expect(names).toContain('ajv');
  const licenses = readFileSync(join(root, 'packages/cli/dist/LICENSES.txt'), 'utf8').split('\n');
  expect([...new Set(names)].filter((name) => !licenses.includes(name))).toEqual([]);
});

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openRelayFolder } from './relay-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const folderOf = (url: string) => openRelayFolder(folder, url);

test.each([
  'http://localhost:8080',
  'http://LOCALHOST:8080',
  'http://[::1]:8080',
  'http://[0:0:0:0:0:0:0:1]:8080',
])('%s is the relay at http://127.0.0.1:8080', (url) =>
  expect(folderOf(url)).toBe(folderOf('http://127.0.0.1:8080')),
);

test.each([
  'http://127.0.0.1:8081',
  'https://127.0.0.1:8080',
  'http://127.0.0.2:8080',
  'http://localhost.example:8080',
  'http://127.0.0.1:8080/other',
])('%s is another relay', (url) => expect(folderOf(url)).not.toBe(folderOf('http://localhost:8080')));

test.each([
  ['https://relay.example', 'https://relay.example:443'],
  ['https://relay.example', 'HTTPS://Relay.Example'],
  ['https://xn--bcher-kva.example/relay', 'https://bücher.example/relay'],
])('%s is also %s', (url, spelling) => {
  const path = folderOf(url);
  // The name of an ordinary address stays, so that a folder is found again.
  expect(path).toMatch(new RegExp(`-${createHash('sha256').update(url).digest('hex').slice(0, 8)}$`));
  expect(folderOf(spelling)).toBe(path);
});

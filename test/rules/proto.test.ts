import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { root } from './tree.ts';

const events = 'proto/relay/events/v1/events.proto';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-proto-'));
  for (const path of ['buf.yaml', 'proto']) cpSync(join(root, path), join(folder, path), { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true }));

function buf(...options: string[]): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/buf'), options, {
    cwd: folder,
    encoding: 'utf8',
  });
  return { ok: status === 0, output: stdout + stderr };
}

function checkAgainstBaseline() {
  return buf('breaking', '--against', 'proto/baseline.binpb');
}

function change(from: string, to: string): void {
  const before = readFileSync(join(folder, events), 'utf8');
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${events} no longer contains "${from}". Adapt this test.`);
  writeFileSync(join(folder, events), after);
}

describe('proto/', () => {
  test('follows the style rules', () => {
    expect(buf('lint')).toEqual({ ok: true, output: '' });
  });

  test('is compatible with the last release', () => {
    expect(checkAgainstBaseline()).toEqual({ ok: true, output: '' });
  });
});

describe('the comparison with the last release', () => {
  test.each([
    ['a renumbered field', 'string user_id = 3', 'string user_id = 33', 'field "3"'],
    ['another type', 'uint64 seq = 6', 'string seq = 6', 'changed type'],
    ['a removed event', 'KeyExchange key_exchange = 11;', '', 'field "11"'],
    ['a renamed field', 'string ref_code = 5', 'string reference = 5', '"reference"'],
    ['a reused number in an enum', 'ROLE_PROVIDER = 2', 'ROLE_OBSERVER = 2', 'ROLE_OBSERVER'],
  ])('refuses %s', (_what, from, to, complaint) => {
    change(from, to);
    const { ok, output } = checkAgainstBaseline();
    expect(output).toContain(complaint);
    expect(ok).toBe(false);
  });

  test('accepts a new field', () => {
    change('uint64 seq = 6;', 'uint64 seq = 6;\n  string note = 9;');
    expect(checkAgainstBaseline()).toEqual({ ok: true, output: '' });
  });
});

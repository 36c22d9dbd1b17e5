import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { reportSkipped } from '../black-box/find-python.ts';
import { findPythonWithPackages } from '../black-box/find-python-with-packages.ts';

/* docs/crypto-vectors.json, checked by a Python implementation that shares no code with the SDK. */

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

// public_bytes_raw() came with version 40.
const python = await findPythonWithPackages(
  pathOf('packages/sdk/vectors/requirements.txt'),
  'import cryptography; assert int(cryptography.__version__.split(".")[0]) >= 40',
);
const isMissing = 'missing' in python;
const testWithPython = isMissing ? test.skip : test;
const skipped = isMissing ? reportSkipped(python) : '';

type Case = Record<string, unknown>;
const vectors: { valid: Case[]; refused: Case[] } = JSON.parse(
  readFileSync(pathOf('docs/crypto-vectors.json'), 'utf8'),
);

function check(...args: string[]) {
  const program = isMissing ? '' : python.program;
  const { stdout, stderr, status } = spawnSync(program, [pathOf('packages/sdk/vectors/check.py'), ...args], {
    encoding: 'utf8',
  });
  return { lines: stdout.trim().split('\n'), stderr, status };
}

testWithPython(`check.py: every vector has the expected result${skipped}`, () => {
  const { valid, refused } = vectors;
  expect(check()).toEqual({
    lines: [`${valid.length} valid cases and ${refused.length} to refuse, 0 failed`],
    stderr: '',
    status: 0,
  });
});

testWithPython(`check.py: reports a wrong result for each kind of vector${skipped}`, () => {
  // One case of each kind, valid and refused, with a wrong result.
  const valid = oneOfEachKind(vectors.valid).map((one) => ({ ...one, output: { other: true } }));
  const refused = oneOfEachKind(vectors.refused).map((one) => ({ ...one, error: 'other' }));
  const folder = mkdtempSync(join(tmpdir(), 'relay-vectors-'));
  try {
    const file = join(folder, 'vectors.json');
    writeFileSync(file, JSON.stringify({ valid, refused }));
    const { lines, status } = check(file);
    const names = [...valid, ...refused].map(({ name }: Case) =>
      expect.stringContaining(`${name}: expected`),
    );
    expect(lines).toEqual([...names, expect.stringContaining(`, ${names.length} failed`)]);
    expect(status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function oneOfEachKind(cases: readonly Case[]): readonly Case[] {
  return [...new Map(cases.toReversed().map((one) => [one.kind, one])).values()];
}

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { findPythonWithPackages } from '../black-box/find-python-with-packages.ts';

/* docs/crypto-vectors.json, checked by a Python implementation that shares no code with the SDK. */

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

// public_bytes_raw() came with version 40.
const python = await findPythonWithPackages(
  pathOf('packages/sdk/vectors/requirements.txt'),
  'import cryptography; assert int(cryptography.__version__.split(".")[0]) >= 40',
);
const testWithPython = testUnless(whyMissing(python));

type Case = Record<string, unknown>;
const vectors: { valid: Case[]; refused: Case[] } = JSON.parse(
  readFileSync(pathOf('docs/crypto-vectors.json'), 'utf8'),
);

function check(...args: string[]) {
  const program = 'program' in python ? python.program : '';
  const { stdout, stderr, status } = spawnSync(program, [pathOf('packages/sdk/vectors/check.py'), ...args], {
    encoding: 'utf8',
  });
  return { lines: stdout.trim().split('\n'), stderr, status };
}

testWithPython('check.py: every vector has the expected result', () => {
  const { valid, refused } = vectors;
  expect(check()).toEqual({
    lines: [`${valid.length} valid cases and ${refused.length} to refuse, 0 failed`],
    stderr: '',
    status: 0,
  });
});

testWithPython('check.py: reports a wrong result for each kind of vector', () => {
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

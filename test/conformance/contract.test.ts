import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { operations } from '../black-box/document.ts';
import { sampleBodies } from '../black-box/sample-bodies.ts';
import { contract, contractEndpoints } from './contract.ts';
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

test.each(Object.entries(contractEndpoints))('docs/openapi.yaml has the endpoint %s (%s)', (call, auth) => {
  const found = endpoints.find(({ method, path }) => `${method} ${path}` === call);
  expect(found?.auth).toBe(auth);
});

test('each operation with a JSON body has a sample of it', () => {
  const withBody = operations.filter(({ requestBody, tags }) => requestBody && !tags.includes('Pages'));
  expect(Object.keys(sampleBodies).sort()).toEqual(withBody.map(({ operationId }) => operationId).sort());
});

import { expect, test } from '@jest/globals';
import { testProgram } from './test-program.ts';

const programs = {
  one: { path: '/cache/one', env: { A: 'b' } },
  other: { missing: 'it could not be fetched' },
};
const env = { RELAY_TEST_PROGRAMS: JSON.stringify(programs) };

test('a program that npm test has found is returned with its environment', () => {
  expect(testProgram('one', env)).toEqual(programs.one);
});

test.each([
  ['other', env, 'This test starts other: it could not be fetched.'],
  ['third', env, 'Run it with `npm test -- <file>`, or with the exports that `npm run servers` prints.'],
  ['one', {}, 'Run it with `npm test -- <file>`'],
])('the error for %s says what to do', (name, given, message) => {
  expect(() => testProgram(name, given)).toThrow(message);
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { codeOfReason, RelayError, type RelayErrorName } from './relay-error.ts';

const page = readFileSync(new URL('../../../docs/sdk-errors.md', import.meta.url), 'utf8');
/** The rows of the table of errors: a code, and its reasons. clients/python compares its own with them, too. */
const rows = [...page.matchAll(/^\| `(\w+)` \| .* \| (.*) \|$/gm)].map(
  ([, code = '', reasons = '']) => [code, [...reasons.matchAll(/`(\w+)`/g)].map(([, name]) => name)] as const,
);

test('docs/sdk-errors.md lists each code once, with its reasons', () => {
  expect(rows).toHaveLength(23);
  const inTable = rows.flatMap(([code, reasons]) => reasons.map((reason) => [reason, code]));
  expect(Object.fromEntries(inTable)).toEqual(codeOfReason);
  for (const [code] of rows) {
    const error = new RelayError(code as RelayErrorName, 'It happened.');
    expect([error.code, error.reason]).toEqual([code, undefined]);
  }
});

test('the code of a reason is known, and `is` takes both', () => {
  const error = new RelayError('keys_changed', 'They have.');
  expect(error).toMatchObject({ code: 'untrusted', reason: 'keys_changed' });
  expect(RelayError.is(error, 'timeout', 'untrusted')).toBe(true);
  expect(RelayError.is(error, 'keys_changed')).toBe(true);
  expect(RelayError.is(error, 'timeout', 'message_missing')).toBe(false);
  expect(RelayError.is({ code: 'untrusted' }, 'untrusted')).toBe(false);
});

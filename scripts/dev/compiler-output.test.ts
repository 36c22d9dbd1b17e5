import { expect, test } from '@jest/globals';
import { createErrorReporter } from './compiler-output.ts';

test('errors are reported when they change, and once when they are repaired', () => {
  const reported: string[] = [];
  const read = createErrorReporter((line) => reported.push(line));
  const broken = ['a.ts(1,1): error TS2304: no such name.', '04:26:08 AM - Found 1 error. Watching.'];
  const fine = ['04:26:12 AM - File change detected.', '04:26:14 AM - Found 0 errors. Watching.'];
  for (const line of [...fine, ...broken, ...broken, ...fine, ...fine]) read(line);
  expect(reported).toEqual(['a.ts(1,1): error TS2304: no such name.', 'The code compiles again.']);
});

import { expect, test } from '@jest/globals';
import { inTwoLines } from './asked-question.tsx';

const long = 'The disk of web-3 has been full since 10:40, checkout is slow, and nobody knows why yet.';

test.each([
  ['Run rm -rf /tmp/*.log /var/* on web-3?', { words: 'Run rm -rf /tmp/*.log /var/* on web-3?' }],
  ['May I run `rm *`?', { words: 'May I run `rm *`?' }],
  ['One.\n\n\nTwo?', { words: 'One.\nTwo?' }],
  [`${long} May I run \`rm *\`?`, { words: `${long} May I run …`, command: 'rm *' }],
  ['Run this?\n\n```sh\nrm -rf *\nls\n```\n', { words: 'Run this?', command: 'rm -rf *\nls' }],
  ['Run this?\n```\nrm\n```\nOr not?', { words: 'Run this?\n```\nrm\n```\nOr not?' }],
  ['~~~\nrm `a`\n~~~\n\nRun it?', { words: '~~~\nrm `a`\n~~~\nRun it?' }],
  [`\`rm\` is what I will not run. ${long}`, { words: `\`rm\` is what I will not run. ${long}` }],
  [`Run \`a\`\n${long} Or \`b\`?`, { words: `Run \`a\`\n${long} Or \`b\`?` }],
  ['```\nrm', { words: '', command: 'rm' }],
])('%j in two lines', (question, expected) => {
  expect(inTwoLines(question)).toEqual(expected);
});

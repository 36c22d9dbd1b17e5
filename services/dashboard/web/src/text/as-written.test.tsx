import { expect, test } from '@jest/globals';
import { renderToStaticMarkup } from 'react-dom/server';
import { shownText } from '../testing/shown-text.tsx';
import { AsWritten } from './as-written.tsx';

const stack = 'z\u0301\u0302\u0303';

test.each([
  'diff --git \n',
  'diff --git \n+\n-\n',
  `diff --git ${stack}\n+${stack}\n`,
  '```diff\n',
  '```diff\n```\n',
  '```diff\n+\n-\n+\n-\n```\n',
  '```diff\n+\n +\n```\nש/a\n',
  `${stack} `,
  'ש/',
  'ש/a\n',
  'a\t',
  'a \n',
  'a\u0430 ',
])('many times %j becomes few elements, and all of it is shown', (unit) => {
  const text = unit.repeat(400_000 / unit.length);
  const { user: before } = process.cpuUsage();
  expect(renderToStaticMarkup(<AsWritten text={text} />).match(/<\w/g)?.length).toBeLessThan(20_000);
  expect(shownText(<AsWritten text={text} />).replaceAll('<U+0430>', '')).toBe(text);
  // It takes about a second.
  if (process.cpuUsage().user - before > 20_000_000) throw new Error('It occupies the page.');
});

test('a stack of marks stays in its line, in a diff too', () => {
  const clipped = `<span data-tall="">${stack}</span>`;
  for (const text of [stack, `@@ ${stack}`, `diff --git ${stack}\n`])
    expect(renderToStaticMarkup(<AsWritten text={text} />)).toContain(clipped);
});

test('what is easily read as something else is marked by elements, so that its characters stay the same', () => {
  const text = 'rm\u00a0-rf p\u0430th \n\techo';
  for (const written of [text, `@@ ${text}`]) {
    const shown = renderToStaticMarkup(<AsWritten text={written} />);
    expect(shown.match(/data-code="[^"]*"|data-marked="[ts][^"]*"/g)).toEqual([
      'data-code="U+00A0"',
      'data-code="U+0430"',
      'data-marked="spaces"',
      'data-marked="tabs"',
    ]);
    expect(shownText(<AsWritten text={written} />)).toBe(written);
  }
});

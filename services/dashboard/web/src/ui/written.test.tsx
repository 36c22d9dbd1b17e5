import { expect, test } from '@jest/globals';
import { renderToStaticMarkup } from 'react-dom/server';
import { isolate, isolatedIn } from './isolated-in.ts';
import { Written } from './written.tsx';

test.each([
  ['delete /staging → /prod', []],
  ['מחק /staging → /prod', ['/staging → /prod']],
  ['מחק cp /src/café-new /prod', []],
  ['מחק /src/cafe\u0301 /prod/ü, בסדר?', ['/src/cafe\u0301 /prod/ü']],
  ['מחק /bin/rm -rf /a — “/b”; 漢/字 ולא /d', ['/bin/rm -rf /a — “/b”; 漢/字', '/d']],
  ['מחק /a →\n→ /b', ['/a', '/b']],
  ['C:\\ב\\1.txt', ['C:\\', '\\1.txt']],
  ['אשר OK, לפני 12:30 (1, 2)?', []],
])('%j has commands in their own order', (text, expected) => {
  expect(isolatedIn(text).map(({ from, to }) => text.slice(from, to))).toEqual(expected);
});

test('stacks of marks are clipped within a command and beside it', () => {
  const stack = 'z\u0301\u0302\u0303';
  const clipped = `<span data-tall="">${stack}</span>`;
  expect(renderToStaticMarkup(<Written text={`${stack} ש /${stack} → /b`} />)).toBe(
    `${clipped} ש <bdi dir="ltr">/${clipped} → /b</bdi>`,
  );
});

test('a text with too many commands is in order without elements for each', () => {
  const isolated = 'ש /a\n';
  expect(renderToStaticMarkup(<Written text={isolated.repeat(900)} />)).toContain('<bdi dir="ltr">/a</bdi>');
  const text = isolated.repeat(2_000);
  expect(renderToStaticMarkup(<Written text={text} />)).toBe(`<bdo dir="ltr">${text}</bdo>`);
});

test('a path in a notification keeps its order in a sentence from right to left', () => {
  expect(isolate('מחק את /var/run/deploy.lock עכשיו')).toBe('מחק את \u2066/var/run/deploy.lock\u2069 עכשיו');
  expect(isolate('Delete /var/run/deploy.lock')).toBe('Delete /var/run/deploy.lock');
});

import { expect, test } from '@jest/globals';
import { localeFor } from './locale.ts';

test.each([
  ['de', 'en-DE'],
  ['pt-BR', 'en-BR'],
  ['en-GB', 'en-GB'],
  ['en', 'en'],
])('a browser in %s has the dates of %s', (ofBrowser, locale) => {
  expect(localeFor(ofBrowser)).toBe(locale);
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { renderConfiguration } from './configuration.ts';
import { renderErrors } from './errors.ts';

const committed = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');

// When one of these fails: the code has changed and its page has not. Run `npm run docs` and commit.
test('docs/configuration.md is what the declarations say', () => {
  expect(committed('configuration.md')).toBe(renderConfiguration());
});

test('docs/errors.md is what the catalogue says', () => {
  expect(committed('errors.md')).toBe(renderErrors());
});

import { describe, expect, test } from '@jest/globals';
import { excerpt } from './payload.ts';

describe('excerpt', () => {
  test.each(['', 'Why?', 'x'.repeat(2000), '🙂'.repeat(2000)])(
    'does not change up to 2,000 characters',
    (text) => {
      expect(excerpt(text)).toBe(text);
    },
  );

  test('counts an emoji as one character and never cuts it in half', () => {
    expect(excerpt('🙂'.repeat(2001))).toBe('🙂'.repeat(2000));
    expect(excerpt(`${'x'.repeat(1999)}🙂🙂`)).toBe(`${'x'.repeat(1999)}🙂`);
    expect(excerpt(`${'x'.repeat(2000)}🙂`)).toBe('x'.repeat(2000));
  });
});

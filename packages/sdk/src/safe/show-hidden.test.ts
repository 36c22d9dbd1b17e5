import { expect, test } from '@jest/globals';
import { showHidden } from './show-hidden.ts';

const marks = '\u0301'.repeat(8);

/** What becomes visible everywhere, also in paragraphs. */
test.each([
  ['colour', '\u001b[31mred', '␛[31mred'],
  ['window title', '\u001b]0;owned\u0007', '␛]0;owned␇'],
  ['one-byte CSI', '\u009b2J', '<U+009B>2J'],
  ['backspaces over earlier text', 'no\b\byes', 'no␈␈yes'],
  ['carriage return over earlier text', 'rm -rf\rls', 'rm -rf␍ls'],
  ['delete', 'a\u007f', 'a␡'],
  ['right-to-left override', 'a\u202egnp.exe', 'a<U+202E>gnp.exe'],
  ['left-to-right override', 'a\u202db', 'a<U+202D>b'],
  ['line separator', 'a\u2028b', 'a<U+2028>b'],
  ['paragraph separator', 'a\u2029b', 'a<U+2029>b'],
  ['zero-width space', 'rm\u200b-rf', 'rm<U+200B>-rf'],
  ['word joiner', 'a\u2060b', 'a<U+2060>b'],
  ['invisible times', 'a\u2062b', 'a<U+2062>b'],
  ['byte order mark', '\ufeffa', '<U+FEFF>a'],
  ['grapheme joiner', 'a\u034fb', 'a<U+034F>b'],
  ['Hangul filler', 'const \u3164 = 1', 'const <U+3164> = 1'],
  ['half-width Hangul filler', 'a\uffa0', 'a<U+FFA0>'],
  ['Khmer inherent vowel', 'a\u17b4', 'a<U+17B4>'],
  ['blank Braille pattern', 'a\u2800b', 'a<U+2800>b'],
  ['annotation', 'a\ufff9b\ufffac\ufffb', 'a<U+FFF9>b<U+FFFA>c<U+FFFB>'],
  ['musical control', 'a\u{1d173}', 'a<U+1D173>'],
  ['hidden tag letters', 'a\u{e0041}', 'a<U+E0041>'],
  ['direction mark between left-to-right words', 'a \u200f→\u200f b', 'a <U+200F>→<U+200F> b'],
  ['Arabic direction mark before one', '\u061cprod -> staging', '<U+061C>prod -> staging'],
  [
    'direction mark between such words of a sentence that begins from right to left',
    'מחק prod \u200f→\u200f staging',
    'מחק prod <U+200F>→<U+200F> staging',
  ],
  ['embedding', '\u202bx\u202c', '<U+202B>x<U+202C>'],
  [
    'isolate',
    'Copy \u2067\u2066prod\u2069 → \u2066staging\u2069\u2069',
    'Copy <U+2067><U+2066>prod<U+2069> → <U+2066>staging<U+2069><U+2069>',
  ],
  ['isolate by the first letter', '\u2068שלום\u2069', '<U+2068>שלום<U+2069>'],
  ['lone surrogate', 'a\ud800', 'a<U+D800>'],
  ['stack of marks', `a${marks}\u0302\u0303b`, `a${marks}<U+0302…>b`],
  [
    'stack of marks between joiners',
    `a${'\u0301\u200d'.repeat(20)}b`,
    `a${'\u0301\u200d'.repeat(4)}<U+0301…>b`,
  ],
])('shows a %s for what it is', (_name, text, shown) => {
  expect(showHidden(text, { prose: true })).toBe(shown);
  // Joiners between marks have no effect.
  if (!text.includes('\u200d')) expect(showHidden(text)).toBe(shown);
});

/** What paragraphs may contain, and commands, addresses and names may not. */
test.each([
  ['direction mark', 'שלום!\u200f ok', 'שלום!<U+200F> ok'],
  ['Arabic direction mark', 'a\u061cخ', 'a<U+061C>خ'],
  ['joiner in a word', 'root\u200duser', 'root<U+200D>user'],
  ['non-joiner in a word', 'root\u200cuser', 'root<U+200C>user'],
  ['soft hyphen in a word', 'pay\u00adpal', 'pay<U+00AD>pal'],
  ['variation selector after a letter', 'a\ufe0fb', 'a<U+FE0F>b'],
  ['joiner at the start', '\u200da', '<U+200D>a'],
  ['data in variation selectors', '😀\u{e0148}\u{e0155}\u{e015c}', '😀\u{e0148}<U+E0155><U+E015C>'],
])('shows a %s, except in prose', (_name, text, shown) => {
  expect(showHidden(text)).toBe(shown);
  expect(showHidden(text, { prose: true })).toBe(text);
});

test.each([
  'Grüße,\n\n  家族\tहिन्दी می‌خواهم שָׁ֫לוֹם རྐྱེན ကြော် Việt',
  '👨‍👩‍👧 ❤️‍🔥 🏳️‍🌈 👍🏽 1️⃣ #️⃣ ©️ 🇺🇦 葛󠄀',
  'non breaking, 全角　space',
])('keeps %j', (text) => {
  expect(showHidden(text)).toBe(text);
  expect(showHidden(text, { prose: true })).toBe(text);
});

test('writes the line breaks of Windows as those of all others', () => {
  expect(showHidden('a\r\n\tb')).toBe('a\n\tb');
});

test('changes nothing in what it has shown', () => {
  const shown = showHidden(`\u202ea\u200d\u0301${marks}\u0302\u0303 👨‍👩‍👧`);
  expect(showHidden(shown)).toBe(shown);
});

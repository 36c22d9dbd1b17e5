import type { Range } from './isolated-in.ts';

/** Cyrillic and Greek letters that look like Latin ones. */
const lookalikes = 'АВЕЁЗІЇЈКМНОРСТУЎҮХЅѴӀԀԌԚԜаеёіїјкорсуўүхһѕьѵӏԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜϳάίόύαγικνορυχϲ';
const lookalike = new RegExp(`[${lookalikes}]`);
const oneLookalike = new RegExp(`[${lookalikes}]\\p{M}*`, 'gu');
const latin = /\p{Script=Latin}/u;
const readsAsLatin = new RegExp(`^[\\p{Script=Latin}\\p{M}\\p{N}_${lookalikes}]+$`, 'u');

/** Characters of Chinese, Japanese and Korean: between these, a wide space is an ordinary one. */
const wide = String.raw`[\u1100-\u11ff\u3000-\ud7ff\uf900-\ufaff\uff00-\uffef]`;
const blanks = [
  // At the end of a line.
  String.raw`(?<![ \t])[ \t]+(?![ \t])(?=\n|(?![\s\S]))`,
  String.raw`\t+`,
  String.raw`[\u00a0\u1680\u2000-\u200a\u202f\u205f]`,
  String.raw`(?<!${wide}|^)\u3000|\u3000(?!${wide})`,
];
const found = new RegExp(blanks.join('|'), 'gmu');
const foundInWords = new RegExp([...blanks, String.raw`[\p{L}\p{M}\p{N}_]+`].join('|'), 'gmu');

/** A part of a text that looks like something else. */
interface Mark extends Range {
  /** Tabs, spaces at the end of a line, or a character that is named. */
  readonly kind: 'tabs' | 'spaces' | 'named';
}

/**
 * What is easily read as something else: white space that is no plain space between words, and letters that look like Latin ones
 * within a word that has Latin ones. Words of other scripts have none.
 */
export function* marksIn(text: string): Generator<Mark> {
  for (const { 0: match, index } of text.matchAll(lookalike.test(text) ? foundInWords : found)) {
    const isWord = /^[^\s]/.test(match);
    if (isWord && !(lookalike.test(match) && latin.test(match) && readsAsLatin.test(match))) continue;
    for (const part of match.matchAll(isWord ? oneLookalike : /\t+| +|./gu)) {
      const [first] = part[0];
      const kind = first === '\t' ? 'tabs' : first === ' ' ? 'spaces' : 'named';
      const from = index + part.index;
      yield { from, to: from + part[0].length, kind };
    }
  }
}

/** `U+00A0` */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** The same without elements: a text with too many marks has the names beside the characters, and its tabs and spaces as they are. */
export function withNames(text: string): string {
  const named = [...marksIn(text)].filter(({ kind }) => kind === 'named');
  const parts = named.map(({ from, to }, index) => {
    const character = text.slice(from, to);
    return `${text.slice(named[index - 1]?.to ?? 0, from)}${character}<${codeOf(character)}>`;
  });
  return parts.join('') + text.slice(named.at(-1)?.to ?? 0);
}

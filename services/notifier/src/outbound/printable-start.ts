const maxCharacters = 256;

/** The first characters of a foreign answer, for its owner: each space or line break is one space, and nothing hidden is in it. */
export const printableStart = (text: string): string =>
  [...text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '')].slice(0, maxCharacters).join('').trim();

const maxCharacters = 256;

/** Letters and emoji of some scripts need the joiners. */
const controls = /[^\P{C}\s\u200c\u200d]/gu;

/** The first characters of a foreign response, for its owner: without control characters, and each gap is one space. */
export const printableStart = (text: string): string =>
  [...text.replace(controls, '').replace(/\s+/g, ' ')].slice(0, maxCharacters).join('').trim();

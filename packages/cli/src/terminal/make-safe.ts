const dangerous = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
// They are needed for letters and emoji: the zero-width joiners and the soft hyphen.
const harmless = new Set(['\n', '\u200c', '\u200d', '\u00ad']);

/**
 * Makes a foreign text safe for a terminal. Characters that could move the cursor, change colours, titles or the
 * direction of writing, or hide text are shown as visible symbols.
 */
export function makeSafe(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '    ')
    .replace(dangerous, (character) => (harmless.has(character) ? character : show(character)));
}

function show(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

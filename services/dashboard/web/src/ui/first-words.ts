import { showHidden } from '@expert-relay/sdk/text';
/** The beginning of a text in one line, to be shown without the marks of Markdown. No character is cut in half at its end. */
export function firstWords(text: string, length: number): string {
  const line = text
    .slice(0, length + 100)
    .replace(
      /^[ \t]*(?:(?:```|~~~).*|#{1,6}[ \t]|>[ \t]?|[-*+][ \t]+(?:\[[ x]\][ \t])?|(?:[-*_][ \t]*){3,}$)/gm,
      '',
    )
    .replace(/^[ \t:|-]+\|[ \t:|-]*$/gm, '')
    .replace(/!?\[([^\]\n]{1,200})\]\([^()\n]{1,200}\)/g, '$1')
    .replace(/`([^`\n]{1,200})`|\*\*(\S[^*\n]{0,200})\*\*|~~(\S[^~\n]{0,200})~~/g, '$1$2$3')
    .replace(/(?<![\w*])\*(\S[^*\n]{0,200})\*(?![\w*])|(?<!\w)_(\S[^_\n]{0,200})_(?!\w)/g, '$1$2')
    .replace(/\s+/g, ' ')
    .trim();
  const shown = showHidden(line, { prose: true });
  if (shown.length <= length) return shown;
  return `${shown.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

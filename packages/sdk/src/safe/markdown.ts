/** What a reader does not see or cannot tell from a space, and marks beyond those of any living language. */
const hidden =
  /(?![ \n])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{M}{8})\p{M}/gu;

/** Whether the text has characters other than line breaks that {@link toJson} escapes. */
export const hasHidden = (text: string): boolean => text.search(hidden) >= 0;

/** JSON in which every character can be seen: the others are escape sequences, so that the value is the same. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  return text.replace(hidden, (character) =>
    character.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** A text as a block of code. */
export function block(text: string, language: string): string {
  const fence = fenceOf(text, 3);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text as code in one line. One that does not look like itself in a line is written as JSON. */
export function code(text: string): string {
  const isItself = text !== '' && !/^[ "]| $|`| {2}|\n/.test(text) && !hasHidden(text);
  const line = isItself ? text : toJson(text);
  const fence = fenceOf(line, 1);
  return `${fence}${line}${fence}`;
}

/** Longer than any in the text, so that the text cannot end it. */
function fenceOf(text: string, least: number): string {
  let length = least;
  for (const [run] of text.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  return '`'.repeat(length);
}

import { readNumber } from './read-number.ts';

/**
 * JSON of others whose value is the same in every program that reads it. Undefined for anything else: no JSON, a number that is
 * read as another one, or an object with two members of one name, of which programs take the first or the last.
 */
export function parseExactly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isExact(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:)?|(-?\d[\d.eE+-]*)|([{}])/g;

/** Of a text that is JSON. */
function isExact(json: string): boolean {
  const objects: Set<string>[] = [];
  for (const [, string = '', colon, number, brace] of json.matchAll(tokens)) {
    if (brace === '{') objects.push(new Set());
    else if (brace === '}') objects.pop();
    if (number !== undefined && !readNumber(number)?.isExact) return false;
    if (!colon) continue;
    const names = objects.at(-1);
    const name: string = JSON.parse(string);
    if (names?.has(name)) return false;
    names?.add(name);
  }
  return true;
}

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
    if (number !== undefined && !isSameDecimal(number, String(Number(number)))) return false;
    if (!colon) continue;
    const names = objects.at(-1);
    const name: string = JSON.parse(string);
    if (names?.has(name)) return false;
    names?.add(name);
  }
  return true;
}

/** Whether two texts are the same decimal number, such as 1e3 and 1000.0. Infinity is none. */
function isSameDecimal(one: string, other: string): boolean {
  const [first, second] = [readDecimal(one), readDecimal(other)];
  return first !== undefined && first === second;
}

function readDecimal(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  // The last digit that is not zero stands for this power of ten.
  const last = Number(power) - fraction.length + digits.length - kept.length;
  return kept === '' ? '0' : `${sign}${kept}e${last}`;
}

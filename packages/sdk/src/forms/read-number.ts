/** A number that a person has typed. */
export interface TypedNumber {
  /** What is sent for it. */
  readonly value: number;
  /** Whether it is sent as it was typed: JSON has the same number. */
  readonly isExact: boolean;
  /** Whether what was typed is an integer, before it was rounded to a double. */
  readonly isWhole: boolean;
}

const number = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
/** No double is written with so many characters. */
const maxLength = 400;

/**
 * A number as JSON writes it, also with a leading plus, or without digits on one side of its point. Undefined for any other
 * text, and for a very long one.
 */
export function readNumber(text: string): TypedNumber | undefined {
  const typed = text.length > maxLength ? undefined : decimalOf(text.trim());
  const value = Number(text);
  return typed && { value, isExact: typed[0] === decimalOf(`${value}`)?.[0], isWhole: typed[1] >= 0 };
}

/** A text that two texts of the same number have in common, and the power of ten of the last digit. Zero has neither a sign nor digits. */
function decimalOf(text: string): readonly [string, number] | undefined {
  const [found, sign, whole = '', fraction = '', power = 0] = number.exec(text) ?? [];
  if (found === undefined) return undefined;
  const digits = (whole + fraction).replace(/0+$/, '');
  const exponent = Number(power) + whole.length - digits.length;
  const significant = digits.replace(/^0+/, '');
  return significant ? [`${sign === '-' ? sign : ''}${significant}e${exponent}`, exponent] : ['', 0];
}

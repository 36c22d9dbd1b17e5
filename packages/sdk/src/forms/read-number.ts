/** A number that a person has typed. */
export interface TypedNumber {
  /** What is sent for it. */
  readonly value: number;
  /** Whether it is sent as it was typed: JSON has the same number. */
  readonly isExact: boolean;
  /** Whether what was typed is an integer, before it was rounded to a double. */
  readonly isWhole: boolean;
}

const number = /^([+-]?)(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?$/i;

/**
 * A number as JSON writes it, also with a leading plus, or without digits on one side of its point. Undefined for any other
 * text.
 */
export function readNumber(text: string): TypedNumber | undefined {
  const typed = text.trim();
  if (!number.test(typed)) return undefined;
  const value = Number(typed);
  const { digits, exponent, normal } = decimalOf(typed);
  const isExact = Number.isFinite(value) && normal === decimalOf(JSON.stringify(value)).normal;
  return { value, isExact, isWhole: digits === '' || exponent >= 0 };
}

/** Two texts of the same number have the same normal form. Zero has no sign, and no digits. */
function decimalOf(text: string): { digits: string; exponent: number; normal: string } {
  const [, sign = '', mantissa = '', power = '0'] = number.exec(text) ?? [];
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  const exponent = Number(power) - fraction.length + all.length - digits.length;
  const normal = digits === '' ? '0' : `${sign === '-' ? '-' : ''}${digits}e${exponent}`;
  return { digits, exponent, normal };
}

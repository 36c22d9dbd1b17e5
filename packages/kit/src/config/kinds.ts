import { parseDuration } from './duration.ts';
import type { Variable } from './variable.ts';

interface Options<T> {
  help: string;
  default?: T;
}

type Optional = { optional: true };

function define<T>(
  name: string,
  options: { help: string; default?: string; optional?: true; secret?: boolean },
  expected: string,
  parse: (text: string) => T | undefined,
): Variable<T> {
  const fallback = options.default ?? (options.optional ? '' : undefined);
  return {
    name,
    help: options.help,
    expected,
    secret: options.secret ?? false,
    parse,
    ...(fallback !== undefined && { fallback }),
  };
}

export function text(
  name: string,
  options: Options<string> & Optional & { pattern?: RegExp; expected?: string },
): Variable<string | undefined>;
export function text(
  name: string,
  options: Options<string> & { pattern?: RegExp; expected?: string },
): Variable<string>;
export function text(
  name: string,
  options: Options<string> & { optional?: true; pattern?: RegExp; expected?: string },
): Variable<string | undefined> {
  return define(name, options, options.expected ?? 'a text', (value) =>
    !options.pattern || options.pattern.test(value) ? value : undefined,
  );
}

export function integer(
  name: string,
  options: { help: string; default?: number; min?: number; max?: number },
): Variable<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, default: fallback, help } = options;
  const expected =
    max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`;
  return define(
    name,
    { help, ...(fallback !== undefined && { default: String(fallback) }) },
    expected,
    (value) => {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  );
}

/** A length of time, in milliseconds. */
export function duration(
  name: string,
  options: { help: string; default: string; min?: string },
): Variable<number> {
  const least = parseDuration(options.min ?? '0s') ?? 0;
  const expected = `a duration with its unit, such as 500ms, 15s, 5m, 72h or 30d${options.min ? `, at least ${options.min}` : ''}`;
  return define(name, options, expected, (value) => {
    const milliseconds = parseDuration(value);
    return milliseconds !== undefined && milliseconds >= least ? milliseconds : undefined;
  });
}

type UrlOptions = Options<string> & { protocols: readonly string[]; secret?: boolean };

export function url(name: string, options: UrlOptions & Optional): Variable<string | undefined>;
export function url(name: string, options: UrlOptions): Variable<string>;
export function url(name: string, options: UrlOptions & { optional?: true }): Variable<string | undefined> {
  const expected = `an address beginning with ${options.protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return define(name, options, expected, (value) =>
    URL.canParse(value) && options.protocols.includes(new URL(value).protocol) ? value : undefined,
  );
}

export function flag(name: string, options: Options<boolean>): Variable<boolean> {
  return define(
    name,
    { help: options.help, default: String(options.default ?? false) },
    'true or false',
    (value) => (value === 'true' || value === 'false' ? value === 'true' : undefined),
  );
}

export function choice<const T extends string>(
  name: string,
  options: { help: string; options: readonly T[]; default?: NoInfer<T> },
): Variable<T> {
  return define(name, options, `one of ${options.options.join(', ')}`, (value) =>
    options.options.find((option) => option === value),
  );
}

/** Texts separated by commas; empty unless said. */
export function list(
  name: string,
  options: { help: string; default?: string; pattern?: RegExp; expected?: string },
): Variable<readonly string[]> {
  const expected = options.expected ?? 'a list separated by commas';
  const parsed = define(name, { ...options, default: options.default ?? '' }, expected, (value) => {
    const entries = value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    return entries.every((entry) => options.pattern?.test(entry) ?? true) ? entries : undefined;
  });
  return { ...parsed, empty: [] };
}

type SecretOptions = { help: string; minLength?: number };

export function secret(name: string, options: SecretOptions & Optional): Variable<string | undefined>;
export function secret(name: string, options: SecretOptions): Variable<string>;
export function secret(
  name: string,
  options: SecretOptions & { optional?: true },
): Variable<string | undefined> {
  const minLength = options.minLength ?? 1;
  return define(
    name,
    { ...options, secret: true },
    `a secret of at least ${minLength} characters`,
    (value) => (value.length >= minLength ? value : undefined),
  );
}

/** Secrets of which the first signs and all are accepted, so that one can be replaced without a break. */
export function secrets(
  name: string,
  options: { help: string; minLength: number; most: number },
): Variable<readonly string[]> {
  const { minLength, most, help } = options;
  return define(
    name,
    { help, secret: true },
    `1 to ${most} secrets of at least ${minLength} characters, separated by commas`,
    (value) => {
      const entries = value.split(',').map((entry) => entry.trim());
      return entries.length <= most && entries.every((entry) => entry.length >= minLength)
        ? entries
        : undefined;
    },
  );
}

import * as z from 'zod';

/** One environment variable: a zod schema of its text, and its description for operators. */
export interface Variable<T> {
  readonly name: string;
  readonly help: string;
  /** The allowed values, as they are put into "... must be <expected>". */
  readonly expected: string;
  /** The default as an operator would write it; absent when the variable must be set, '' when it may be unset. */
  readonly fallback?: string;
  /** The value of a secret is never repeated, neither in errors nor in the docs. */
  readonly secret: boolean;
  /** For a text that is not empty. Its own messages are not used: see `expected`. */
  readonly schema: z.ZodType<T, string>;
  /** The value of a variable that is unset and has no default. */
  readonly empty?: T;
}

/** Variables in the groups in which their service reads them. */
export interface Variables {
  readonly [key: string]: Variable<unknown> | Variables;
}

/** The values of a set of variables. */
export type Values<V> = {
  readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : Values<V[K]>;
};

interface Options {
  help: string;
  default?: string | number | boolean;
  optional?: true;
}

/** `undefined` is a value when the variable is optional. */
type Read<O, T> = O extends { optional: true } ? T | undefined : T;

function variable<T, const O extends Options>(
  name: string,
  options: O,
  about: { expected: string; schema: z.ZodType<T, string>; secret?: boolean },
): Variable<Read<O, T>> {
  const fallback = options.default ?? (options.optional ? '' : undefined);
  return {
    name,
    help: options.help,
    expected: about.expected,
    secret: about.secret ?? false,
    schema: about.schema as z.ZodType<Read<O, T>, string>,
    ...(fallback !== undefined && { fallback: String(fallback) }),
  };
}

/** The same variable, which may be unset. */
export const optional = <T>(required: Variable<T>): Variable<T | undefined> => ({
  ...required,
  fallback: '',
});

export const text = <const O extends Options & { default?: string; pattern?: RegExp; expected?: string }>(
  name: string,
  options: O,
) =>
  variable(name, options, {
    expected: options.expected ?? 'a text',
    schema: options.pattern ? z.string().regex(options.pattern) : z.string(),
  });

export function integer(
  name: string,
  options: { help: string; default?: number; min?: number; max?: number },
): Variable<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  return variable(name, options, {
    expected: `a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max)),
  });
}

const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** `15s`, `1.5h`, `30d` -> milliseconds; `undefined` when the text is not a duration. */
function parseDuration(text: string): number | undefined {
  const match = durationPattern.exec(text);
  if (!match) return undefined;
  const milliseconds = Math.round(Number(match[1]) * durationUnits[match[2] as keyof typeof durationUnits]);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

/** A duration in milliseconds. */
export function duration(
  name: string,
  options: { help: string; default: string; min?: string },
): Variable<number> {
  return variable(name, options, {
    expected: `a duration with its unit, such as 500ms, 15s, 5m, 72h or 30d${options.min ? `, at least ${options.min}` : ''}`,
    schema: z
      .string()
      .regex(durationPattern)
      .transform(parseDuration)
      .pipe(z.number().min(parseDuration(options.min ?? '0s') ?? 0)),
  });
}

export const url = <
  const O extends Options & { default?: string; protocols: readonly string[]; secret?: boolean },
>(
  name: string,
  options: O,
) =>
  variable(name, options, {
    expected: `an address beginning with ${options.protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    secret: options.secret ?? false,
    schema: z
      .string()
      .refine((text) => URL.canParse(text) && options.protocols.includes(new URL(text).protocol)),
  });

export const flag = (name: string, options: { help: string; default: boolean }): Variable<boolean> =>
  variable(name, options, {
    expected: 'true or false',
    schema: z.enum(['true', 'false']).transform((text) => text === 'true') as z.ZodType<boolean, string>,
  });

export const choice = <const T extends string>(
  name: string,
  options: { help: string; options: readonly T[]; default?: NoInfer<T> },
): Variable<T> =>
  variable(name, options, {
    expected: `one of ${options.options.join(', ')}`,
    schema: z.enum(options.options) as unknown as z.ZodType<T, string>,
  });

/** Texts separated by commas; empty by default. */
export function list(
  name: string,
  options: { help: string; pattern?: RegExp; expected?: string; secret?: true },
): Variable<readonly string[]> {
  const entry = options.pattern ? z.string().regex(options.pattern) : z.string();
  const read = variable(
    name,
    { ...options, default: '' },
    {
      expected: options.expected ?? 'a list separated by commas',
      secret: options.secret ?? false,
      schema: z
        .string()
        .transform((text) => splitAtCommas(text).filter((part) => part !== ''))
        .pipe(z.array(entry)),
    },
  );
  return { ...read, empty: [] };
}

export const secret = <const O extends Options & { minLength?: number; expected?: string }>(
  name: string,
  options: O,
) =>
  variable(name, options, {
    expected: options.expected ?? `a secret of at least ${options.minLength ?? 1} characters`,
    secret: true,
    schema: z.string().min(options.minLength ?? 1),
  });

/** Secrets of which the first signs and all are accepted, so that one can be replaced without a break. */
export const secrets = (
  name: string,
  options: { help: string; minLength: number; most: number },
): Variable<readonly string[]> =>
  variable(name, options, {
    expected: `1 to ${options.most} secrets of at least ${options.minLength} characters, separated by commas`,
    secret: true,
    schema: z
      .string()
      .transform(splitAtCommas)
      .pipe(z.array(z.string().min(options.minLength)).max(options.most)),
  });

const splitAtCommas = (text: string): string[] => text.split(',').map((part) => part.trim());

/** A key, and the id that names it where it was used: two can be told apart during a rotation. */
export interface KeyWithId {
  readonly id: string;
  readonly secret: Buffer;
}

/** The first one is used for what is new, all of them are accepted. */
export type KeysWithIds = readonly [KeyWithId, ...KeyWithId[]];

export const keyWithId = '<key id>:<base64url of 32 random bytes>';

/** One key, or two during a rotation. */
export const keysWithIds = (
  name: string,
  options: { help: string /** Of a secret, which is never shorter than 32. */; maxBytes?: number },
): Variable<KeysWithIds> =>
  variable(name, options, {
    expected: `${keyWithId}, or two with different ids, separated by a comma`,
    secret: true,
    schema: z
      .string()
      .transform((text) => splitAtCommas(text).map(parseKey) as unknown as KeysWithIds)
      .refine((keys) => keys.length <= 2 && keys.every(({ secret }) => secret.length >= 32))
      .refine((keys) => keys.every(({ id }) => /^[\w-]{1,32}$/.test(id)) && keys[0].id !== keys[1]?.id)
      .refine((keys) => keys.every(({ secret }) => secret.length <= (options.maxBytes ?? secret.length))),
  });

function parseKey(text: string): KeyWithId {
  const [id = '', secret = ''] = text.split(':');
  return { id, secret: Buffer.from(secret, 'base64url') };
}

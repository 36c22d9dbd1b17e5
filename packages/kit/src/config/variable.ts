/** One environment variable: its name, what it is for, and how its text becomes a value. */
export interface Variable<T> {
  readonly name: string;
  readonly help: string;
  /** What is allowed, as it reads in "... must be <expected>". */
  readonly expected: string;
  /** The default as one would write it; absent when the variable must be set, '' when it may be unset. */
  readonly fallback?: string;
  /** A secret's value is never repeated, neither in errors nor in the docs. */
  readonly secret: boolean;
  /** Gives `undefined` for a text that is not allowed. Never called with an empty text. */
  parse(text: string): T | undefined;
  /** The value of a variable that is unset and has no default. */
  readonly empty?: T;
}

/** Variables, grouped as their service likes to read them. */
export interface Variables {
  readonly [key: string]: Variable<unknown> | Variables;
}

/** The values that belong to a set of variables. */
export type Values<V> = {
  readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : Values<V[K]>;
};

export function isVariable(entry: Variable<unknown> | Variables): entry is Variable<unknown> {
  return typeof (entry as Variable<unknown>).parse === 'function';
}

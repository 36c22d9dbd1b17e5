import type { Values, Variable, Variables } from './variable.ts';

/** Wrong settings. Each sentence names a variable, its value and the allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'));
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads all variables; throws one error for all that are wrong. */
export function read<const V extends Variables>(variables: V, env: Environment): Values<V> {
  const sentences = new Set<string>();
  const values = readGroup(variables, env, sentences);
  if (sentences.size > 0) throw new ConfigError([...sentences]);
  return values as Values<V>;
}

function readGroup(group: Variables, env: Environment, sentences: Set<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(group).map(([key, entry]) => [
      key,
      isVariable(entry) ? readOne(entry, env, sentences) : readGroup(entry, env, sentences),
    ]),
  );
}

function readOne(variable: Variable<unknown>, env: Environment, sentences: Set<string>): unknown {
  const { name, help, expected, fallback, secret, schema, empty } = variable;
  const text = env[name] || fallback;
  if (text === undefined) {
    sentences.add(`${name} is not set. It must be ${expected}. (${help})`);
    return undefined;
  }
  if (text === '') return empty;
  const { success, data } = schema.safeParse(text);
  if (!success) {
    const value = secret ? 'is not valid (its value is not shown)' : `is ${JSON.stringify(text)}`;
    sentences.add(`${name} ${value}. It must be ${expected}.`);
  }
  return data;
}

/** All variables of a declaration, in their order. */
export function listVariables(variables: Variables): readonly Variable<unknown>[] {
  return Object.values(variables).flatMap((entry) => (isVariable(entry) ? [entry] : listVariables(entry)));
}

function isVariable(entry: Variable<unknown> | Variables): entry is Variable<unknown> {
  return 'schema' in entry && 'expected' in entry;
}

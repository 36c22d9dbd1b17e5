import { ConfigError } from './config-error.ts';
import { isVariable, type Values, type Variable, type Variables } from './variable.ts';

/** Reads all variables and reports every bad one at once. */
export function read<const V extends Variables>(
  variables: V,
  env: Readonly<Record<string, string | undefined>>,
): Values<V> {
  const complaints: string[] = [];
  const values = readGroup(variables, env, complaints);
  if (complaints.length > 0) throw new ConfigError([...new Set(complaints)]);
  return values as Values<V>;
}

function readGroup(
  group: Variables,
  env: Readonly<Record<string, string | undefined>>,
  complaints: string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(group).map(([key, entry]) => [
      key,
      isVariable(entry) ? readOne(entry, env, complaints) : readGroup(entry, env, complaints),
    ]),
  );
}

function readOne(
  variable: Variable<unknown>,
  env: Readonly<Record<string, string | undefined>>,
  complaints: string[],
): unknown {
  const given = env[variable.name] || undefined;
  const text = given ?? variable.fallback;
  if (text === undefined) {
    complaints.push(`${variable.name} is not set. It must be ${variable.expected}. (${variable.help})`);
    return undefined;
  }
  if (text === '') return variable.empty;
  const value = variable.parse(text);
  if (value === undefined) {
    const was = variable.secret ? 'is not valid (its value is not shown)' : `is ${JSON.stringify(text)}`;
    complaints.push(`${variable.name} ${was}. It must be ${variable.expected}.`);
  }
  return value;
}

import { isVariable, type Variable, type Variables } from './variable.ts';

/** Every variable of a declaration, in the order of writing. */
export function listVariables(variables: Variables): readonly Variable<unknown>[] {
  return Object.values(variables).flatMap((entry) => (isVariable(entry) ? [entry] : listVariables(entry)));
}

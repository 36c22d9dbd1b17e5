export { ConfigError, listVariables, read } from './read.ts';
export * from './shared-variables.ts';
export { unknownSettings } from './unknown-settings.ts';
export {
  choice,
  duration,
  flag,
  integer,
  type KeysWithIds,
  type KeyWithId,
  keysWithIds,
  keyWithId,
  list,
  optional,
  secret,
  secrets,
  text,
  url,
  type Values,
  type Variable,
  type Variables,
} from './variable.ts';

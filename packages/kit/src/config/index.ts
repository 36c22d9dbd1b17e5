export { ConfigError, listVariables, read } from './read.ts';
export * from './shared-variables.ts';
export { unknownSettings } from './unknown-settings.ts';
export * from './variable.ts';

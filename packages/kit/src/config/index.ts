export { ConfigError } from './config-error.ts';
export { listVariables } from './describe.ts';
export { parseDuration } from './duration.ts';
export { choice, duration, flag, integer, list, secret, secrets, text, url } from './kinds.ts';
export { read } from './read.ts';
export * from './shared-variables.ts';
export { isLoopback, siteOrigins } from './site-origins.ts';
export { unknownSettings } from './unknown-settings.ts';
export type { Values, Variable, Variables } from './variable.ts';

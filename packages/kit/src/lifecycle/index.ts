export { composeService, type Overrides, type Service, type ServiceSettings } from './compose-service.ts';
export type { Readiness } from './create-readiness.ts';
export type { Dependency, Part } from './part.ts';
export { run } from './run.ts';
export { StartupError } from './startup-error.ts';

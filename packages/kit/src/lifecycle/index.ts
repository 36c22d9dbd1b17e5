export { composeService, type Overrides, type Service, type ServiceSettings } from './compose-service.ts';
export type { Part } from './part.ts';
export { run } from './run.ts';
export { StartupError } from './startup-error.ts';

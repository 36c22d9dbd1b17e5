export { type Dependency, type Part, StartupError } from '../part/index.ts';
export { composeService, type Overrides, type Service, type ServiceSettings } from './compose-service.ts';
export type { Readiness } from './create-readiness.ts';
export { run } from './run.ts';

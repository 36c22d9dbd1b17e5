export { isApiError } from './api-error.ts';
export { createNats, type Nats } from './create-nats.ts';
export type { NatsAccess } from './read-access.ts';

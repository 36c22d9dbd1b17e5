export { createPool, type ServicePool } from './create-pool.ts';
export { createServiceClient, type ServiceCall, type ServiceClient } from './create-service-client.ts';
export { readAnswer } from './read-answer.ts';

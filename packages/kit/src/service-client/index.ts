export { createServiceClient, type ServiceClient } from './create-service-client.ts';
export type { ServiceCall, ServiceResponse } from './pending-call.ts';
export { readJson, readText } from './read-json.ts';

export { createServiceClient, type ServiceCall, type ServiceClient } from './create-service-client.ts';
export { readAnswer, readText } from './read-answer.ts';

export {
  createServiceClient,
  type ServiceCall,
  type ServiceClient,
  type ServiceResponse,
} from './create-service-client.ts';
export { readJson, readText } from './read-json.ts';

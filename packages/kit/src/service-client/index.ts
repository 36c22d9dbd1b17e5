export {
  createServiceClient,
  type ServiceCall,
  type ServiceClient,
  type ServiceResponse,
} from './create-service-client.ts';
export { readAnswer, readText } from './read-answer.ts';

export {
  createServiceClient,
  readAnswer,
  type ServiceCall,
  type ServiceClient,
} from './create-service-client.ts';

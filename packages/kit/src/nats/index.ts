export { createNats, type Nats } from './create-nats.ts';

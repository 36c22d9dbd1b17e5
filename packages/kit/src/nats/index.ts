export { createNats, type Nats } from './create-nats.ts';
export { type Consumer, openConsumer, type StreamMessage } from './ordered-consumer.ts';
export type { NatsAccess } from './read-access.ts';
export { createStoredStream, epochOf, type StoredStream, type StreamState } from './stored-stream.ts';

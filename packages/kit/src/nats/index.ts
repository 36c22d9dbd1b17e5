export { createNats, type Nats } from './create-nats.ts';
export { type Consumer, openConsumer, type StoredMessage } from './ordered-consumer.ts';
export type { NatsAccess } from './read-access.ts';
export { createStoredStream, epochOf, type StoredStream, type StoredStreamState } from './stored-stream.ts';

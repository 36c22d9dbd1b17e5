export * from './generated/relay/events/v1/events_pb.ts';

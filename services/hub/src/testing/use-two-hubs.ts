import { afterAll, beforeAll } from '@jest/globals';
import { startTestHub, type TestHub } from './test-hub.ts';
import { openTestStream, type TestStream } from './test-stream.ts';

export interface TwoHubs {
  stream: TestStream;
  hub: TestHub;
  /** Its ring is so small that nearly everything is served from NATS. */
  small: TestHub;
}

/** A stream and two hubs of it, for all tests of a file. */
export function useTwoHubs(): TwoHubs {
  const hubs = {} as TwoHubs;
  beforeAll(async () => {
    hubs.stream = await openTestStream();
    const { prefix } = hubs.stream;
    hubs.hub = await startTestHub({ prefix });
    hubs.small = await startTestHub({ prefix, env: { RELAY_HUB_RING_EVENTS: '5' } });
  });
  afterAll(async () => {
    for (const one of [hubs.hub, hubs.small, hubs.stream]) await one[Symbol.asyncDispose]();
  });
  return hubs;
}

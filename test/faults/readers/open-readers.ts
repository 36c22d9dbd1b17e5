import { get } from 'node:http';
import { eventually } from '@expert-relay/testkit';
import type { DevUser } from '../../../scripts/local/secrets.ts';
import type { Conversation } from '../load/ledger.ts';
import type { Random } from '../plan/random.ts';
import { openResumingReader, type ResumingReader } from './resuming-reader.ts';

/** All resuming readers of a seed. */
export interface Readers {
  /** The first one reads all events of the user. */
  readonly all: readonly ResumingReader[];
  /** Waits until the streams of the first readers are open. */
  opened(): Promise<void>;
  /** Opens the readers of a request. */
  follow(conversation: Conversation): void;
  stop(): Promise<void>;
}

/** For each group of this number of requests, one reader subscribes to all of them in one stream. */
const groupSize = 5;

export function openReaders(options: {
  hubUrls: readonly string[];
  user: DevUser;
  random: Random;
  perRequest: number;
}): Readers {
  const { hubUrls, user, random, perRequest } = options;
  const readers: ResumingReader[] = [];
  const recent: string[] = [];

  function open(topics: readonly string[], apiKey?: string): void {
    const credential = apiKey === undefined ? {} : { apiKey };
    // Every third one disconnects often; the others stay until they are disconnected.
    const leavesOften = readers.length % 3 === 1;
    readers.push(openResumingReader({ hubUrls, topics, random: random.fork(), leavesOften, ...credential }));
  }

  const provider = `/svc/providers/${user.userId}`;
  for (let count = 0; count < 4; count++) open([`${provider}/activity`], user.providerKey);
  for (let count = 0; count < 2; count++) open([provider], user.providerKey);

  return {
    all: readers,
    async opened() {
      const allOpen = () => readers.every(({ isOpen }) => isOpen);
      await eventually('the streams of the first readers are open', allOpen, { timeoutMs: 30_000 });
    },
    follow({ requestId }) {
      const topic = `/svc/requests/${requestId}`;
      // The id of a request is enough; no credential is needed.
      for (let count = 0; count < perRequest; count++) open([topic]);
      recent.push(topic);
      if (recent.length % groupSize === 0) open(recent.slice(-groupSize));
    },
    async stop() {
      await Promise.all(readers.map((reader) => reader.stop()));
    },
  };
}

/** Readers that never read a byte, as after a network failure. They must not affect the other readers. */
export function openSilentReaders(
  count: number,
  { hubUrls, topic, apiKey }: { hubUrls: readonly string[]; topic: string; apiKey: string },
): () => void {
  const calls = Array.from({ length: count }, (_, index) => {
    const url = new URL(hubUrls[index % hubUrls.length] ?? '');
    url.searchParams.set('topic', topic);
    const headers = { accept: 'text/event-stream', 'x-api-key': apiKey };
    // The head of the response is read, and nothing after it.
    const call = get(url, { headers, agent: false }, (response) => response.on('error', () => {}));
    return call.on('error', () => {});
  });
  return () => {
    for (const call of calls) call.destroy();
  };
}

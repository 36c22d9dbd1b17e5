import { eventually } from '@expert-relay/testkit';
import type { DevUser } from '../../../scripts/local/secrets.ts';
import type { Conversation } from '../load/ledger.ts';
import type { Random } from '../plan/random.ts';
import { openReader, type ResumingReader } from './resuming-reader.ts';

/** All resuming subscribers of a seed. */
export interface Audience {
  /** The first reads everything there is. */
  readonly readers: readonly ResumingReader[];
  /** Waits until those that are there from the beginning are heard. */
  opened(): Promise<void>;
  /** Has a request's own readers come. */
  follow(conversation: Conversation): void;
  stop(): Promise<void>;
}

/** After so many requests comes a reader that listens to all of them in one stream. */
const together = 5;

export function openAudience(options: {
  hubUrls: readonly string[];
  user: DevUser;
  random: Random;
  perRequest: number;
}): Audience {
  const { hubUrls, user, random, perRequest } = options;
  const readers: ResumingReader[] = [];
  const recent: string[] = [];

  function open(topics: readonly string[], apiKey?: string): void {
    const credential = apiKey === undefined ? {} : { apiKey };
    // Every third one comes and goes; the others stay until they are cut off.
    const isFickle = readers.length % 3 === 1;
    readers.push(openReader({ hubUrls, topics, random: random.fork(), isFickle, ...credential }));
  }

  const provider = `/svc/providers/${user.userId}`;
  for (let count = 0; count < 4; count++) open([`${provider}/activity`], user.providerKey);
  for (let count = 0; count < 2; count++) open([provider], user.providerKey);

  return {
    readers,
    async opened() {
      const allOpen = () => readers.every(({ isOpen }) => isOpen);
      await eventually('the first readers are heard', allOpen, { within: 30_000 });
    },
    follow({ requestId }) {
      const topic = `/svc/requests/${requestId}`;
      // Whoever holds a request's id needs no credential.
      for (let count = 0; count < perRequest; count++) open([topic]);
      recent.push(topic);
      if (recent.length % together === 0) open(recent.slice(-together));
    },
    async stop() {
      await Promise.all(readers.map((reader) => reader.stop()));
    },
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { type Client, type ClientOptions, createClient } from '../load/client.ts';
import { converse } from '../load/converse.ts';
import { type Conversation, type Ledger, openLedger } from '../load/ledger.ts';
import { drawScript } from '../load/script.ts';
import { startTimeline } from '../load/timeline.ts';
import type { Random } from '../plan/random.ts';
import { openResumingReader, type ResumingReader } from '../readers/resuming-reader.ts';
import type { ChaosEnvironment } from './environment.ts';

/** An answered call of an honest client. */
export interface Timing {
  readonly at: number;
  readonly ms: number;
  /** Not 429 and not 5xx, after which the call is repeated. */
  readonly isFinal: boolean;
}

/** Agents, experts and readers that use the product correctly, and record all responses and events. */
export interface HonestClients {
  readonly ledger: Ledger;
  readonly client: Pick<Client, 'retries'>;
  readonly readers: readonly ResumingReader[];
  readonly timings: readonly Timing[];
  /** For further calls of honest clients. */
  readonly clientOptions: ClientOptions;
  /** Starts no more conversations, and waits for the end of the others. */
  finish(): Promise<void>;
  stop(): Promise<void>;
}

const conversationsPerSecond = 4;
const pageEveryMs = 250;
/** A call without a response in this time counts as failed. It is long, since the services are only busy here. */
const timeoutMs = 15_000;

/** The addresses and credentials that they use; the cookie is that of a session of the user. */
export type HonestTarget = Pick<ChaosEnvironment, 'user' | 'gatewayUrl' | 'hubUrl'> & {
  readonly cookie: string;
};

export async function startHonestClients(environment: HonestTarget, random: Random): Promise<HonestClients> {
  const { user, gatewayUrl, hubUrl, cookie } = environment;
  const ledger = openLedger();
  const timings: Timing[] = [];
  const stopping = new AbortController();
  const addresses = random.fork();
  const clientOptions: ClientOptions = {
    timeoutMs,
    answered: (ms, isFinal) => timings.push({ at: performance.now(), ms, isFinal }),
    headers: () => ({ 'x-forwarded-for': `10.${addresses.integer(0, 255)}.${addresses.integer(0, 255)}.1` }),
  };
  const client = createClient(gatewayUrl, stopping.signal, clientOptions);
  const readers: ResumingReader[] = [];
  const running = new Set<Promise<void>>();
  let continues = true;

  function open(topics: readonly string[], apiKey: string, from: string): ResumingReader {
    const leavesOften = readers.length % 3 === 1;
    const reader = openResumingReader({
      hubUrls: [hubUrl],
      topics,
      apiKey,
      random: random.fork(),
      leavesOften,
      from,
    });
    readers.push(reader);
    return reader;
  }

  const provider = `/svc/providers/${user.userId}`;
  const [first] = [`${provider}/activity`, `${provider}/activity`, provider].map((topic) =>
    open([topic], user.providerKey, 'earliest'),
  );
  await eventually('the first readers are open', () => readers.every(({ isOpen }) => isOpen), {
    timeoutMs: 30_000,
  });

  /** Reads one conversation to its end, from a position before its beginning. */
  async function follow({ requestId }: Conversation, from: string): Promise<void> {
    const reader = open([`/svc/requests/${requestId}`], user.consumerKey, from);
    const isOver = () =>
      reader.segments.some(({ events }) => events.some(({ data }) => data.includes('request_closed')));
    while (!isOver() && !stopping.signal.aborted) await pause(500);
    // An event that is delivered twice would arrive during this time.
    await pause(500);
    await reader.stop();
  }

  function track(work: Promise<void>): void {
    running.add(work);
    void work.finally(() => running.delete(work));
  }

  const scripts = random.fork();
  async function beginConversations(): Promise<void> {
    for (const timeline = startTimeline(), step = 1_000; continues; ) {
      for (let count = 0; count < conversationsPerSecond; count++) {
        const script = drawScript(scripts, { submitWithinMs: step, lasting: 5_000 });
        const from = first?.position ?? 'earliest';
        const onSubmitted = (conversation: Conversation) => void follow(conversation, from);
        track(converse(script, { client, user, ledger, timeline: startTimeline(), onSubmitted }));
      }
      await timeline.waitUntil((Math.floor(timeline.now / step) + 1) * step);
    }
  }

  const pages = ['/api/health', '/dashboard/requests', '/api/requests', '/api/me', '/api/keys'];
  async function visitPages(): Promise<void> {
    for (let turn = 0; continues; turn++) {
      const path = pages[turn % pages.length] as string;
      const response = await client.call({ method: 'GET', path, headers: { cookie } });
      if (response && response.status !== 200) ledger.unexpected.push(`GET ${path} got ${response.status}`);
      await pause(pageEveryMs);
    }
  }

  const loops = [beginConversations(), visitPages()];
  return {
    ledger,
    client,
    readers,
    timings,
    clientOptions,
    async finish() {
      continues = false;
      await Promise.all(loops);
      await Promise.all(running);
    },
    async stop() {
      continues = false;
      stopping.abort();
      await Promise.all(readers.map((reader) => reader.stop()));
      client.close();
    },
  };
}

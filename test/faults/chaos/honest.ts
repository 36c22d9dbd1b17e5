import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { type Client, type ClientOptions, createClient } from '../load/client.ts';
import { converse } from '../load/converse.ts';
import { type Conversation, type Ledger, openLedger } from '../load/ledger.ts';
import { drawScript } from '../load/script.ts';
import { startTimeline } from '../load/timeline.ts';
import type { Random } from '../plan/random.ts';
import { openReader, type ResumingReader } from '../readers/resuming-reader.ts';
import type { ChaosStage } from './stage.ts';

/** A call of an honest client that was answered. */
export interface Timing {
  readonly at: number;
  readonly ms: number;
}

/** Agents, experts and readers that use the product as it is meant, and note everything that they are told. */
export interface Honest {
  readonly ledger: Ledger;
  readonly client: Pick<Client, 'retries'>;
  readonly readers: readonly ResumingReader[];
  readonly timings: readonly Timing[];
  /** For further calls like theirs. */
  readonly clientOptions: ClientOptions;
  /** No more conversations begin; resolves when those that had begun are through. */
  finish(): Promise<void>;
  stop(): Promise<void>;
}

const conversationsPerSecond = 4;
const pageEveryMs = 250;
/** A call without an answer for so long has lost it: nothing is broken here, only busy. */
const patienceMs = 15_000;

/** Where they call; the cookie is that of a session of the user. */
export type HonestStage = Pick<ChaosStage, 'user' | 'gatewayUrl' | 'hubUrl'> & { readonly cookie: string };

export async function startHonest(stage: HonestStage, random: Random): Promise<Honest> {
  const { user, gatewayUrl, hubUrl, cookie } = stage;
  const ledger = openLedger();
  const timings: Timing[] = [];
  const given = new AbortController();
  const addresses = random.fork();
  const clientOptions: ClientOptions = {
    patienceMs,
    answered: (ms) => timings.push({ at: performance.now(), ms }),
    headers: () => ({ 'x-forwarded-for': `10.${addresses.integer(0, 255)}.${addresses.integer(0, 255)}.1` }),
  };
  const client = createClient(gatewayUrl, given.signal, clientOptions);
  const readers: ResumingReader[] = [];
  const under = new Set<Promise<void>>();
  let goesOn = true;

  function open(topics: readonly string[], apiKey: string, from: string): ResumingReader {
    const isFickle = readers.length % 3 === 1;
    const reader = openReader({ hubUrls: [hubUrl], topics, apiKey, random: random.fork(), isFickle, from });
    readers.push(reader);
    return reader;
  }

  const provider = `/svc/providers/${user.userId}`;
  const [first] = [`${provider}/activity`, `${provider}/activity`, provider].map((topic) =>
    open([topic], user.providerKey, 'earliest'),
  );
  await eventually('the first readers are open', () => readers.every(({ isOpen }) => isOpen), {
    within: 30_000,
  });

  /** Reads one conversation to its end, from a place before its beginning. */
  async function follow({ requestId }: Conversation, from: string): Promise<void> {
    const reader = open([`/svc/requests/${requestId}`], user.consumerKey, from);
    const isOver = () =>
      reader.stretches.some(({ events }) => events.some(({ data }) => data.includes('request_closed')));
    while (!isOver() && !given.signal.aborted) await pause(500);
    // For what might come a second time.
    await pause(500);
    await reader.stop();
  }

  function track(work: Promise<void>): void {
    under.add(work);
    void work.finally(() => under.delete(work));
  }

  const scripts = random.fork();
  async function beginConversations(): Promise<void> {
    for (const timeline = startTimeline(), step = 1_000; goesOn; ) {
      for (let count = 0; count < conversationsPerSecond; count++) {
        const script = drawScript(scripts, { within: step, lasting: 5_000 });
        const from = first?.position ?? 'earliest';
        const onSubmitted = (conversation: Conversation) => void follow(conversation, from);
        track(converse(script, { client, user, ledger, timeline: startTimeline(), onSubmitted }));
      }
      await timeline.until((Math.floor(timeline.now / step) + 1) * step);
    }
  }

  const pages = ['/api/health', '/dashboard/requests', '/api/requests', '/api/me', '/api/keys'];
  async function visitPages(): Promise<void> {
    for (let turn = 0; goesOn; turn++) {
      const path = pages[turn % pages.length] as string;
      const answer = await client.call({ method: 'GET', path, headers: { cookie } });
      if (answer && answer.status !== 200) ledger.oddities.push(`GET ${path} was answered ${answer.status}`);
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
      goesOn = false;
      await Promise.all(loops);
      await Promise.all(under);
    },
    async stop() {
      goesOn = false;
      given.abort();
      await Promise.all(readers.map((reader) => reader.stop()));
      client.close();
    },
  };
}

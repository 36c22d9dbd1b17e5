import type { StreamSettings } from '@expert-relay/contracts';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import type { Nats } from '@expert-relay/kit/nats';
import { createBell } from './bell.ts';
import { createNudge } from './create-nudge.ts';
import { leadOutbox } from './lead-outbox.ts';
import { createOutboxMetrics } from './outbox-metrics.ts';
import { takeTurns } from './take-turns.ts';

export interface OutboxRelayOptions {
  /** Postgres without a pooler: the lock that makes a leader is bound to the connection. */
  readonly directUrl: string;
  readonly nats: Nats;
  readonly prefix: string;
  readonly stream?: Partial<Omit<StreamSettings, 'prefix'>>;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long published events are kept in the table, in milliseconds: well beyond NATS's own `sync_interval`. */
  readonly keepFor?: number;
}

export interface OutboxRelay extends Part {
  /** Call it after a commit: the leader, here or elsewhere, looks at once rather than half a second later. */
  nudge(): void;
}

const tenMinutes = 600_000;
const defaultStream = { maxBytes: 2 ** 30, replicas: 1 };

/**
 * Publishes what the outbox holds. Runs in every pod of requests and messages; on one database one of them
 * leads, and another takes over within two seconds of its end. Nobody waits for it: writers only commit,
 * and while NATS is away their events stay in the table.
 */
export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { directUrl, nats, prefix, log, keepFor = tenMinutes } = options;
  const settings = { ...defaultStream, ...options.stream, prefix };
  const metrics = createOutboxMetrics(options.metrics);
  const nudgeLeader = createNudge(nats, prefix);
  const bell = createBell();
  const stopping = new AbortController();
  let leads = false;
  let turns: Promise<void> | undefined;

  async function lead(client: Parameters<typeof leadOutbox>[0]['client'], lost: AbortSignal): Promise<void> {
    leads = true;
    metrics.leader.set(1);
    try {
      await leadOutbox({ client, lost, nats, bell, settings, keepFor, log, metrics });
    } finally {
      leads = false;
      metrics.leader.set(0);
    }
  }

  return {
    name: 'outbox relay',
    nudge() {
      if (leads) bell.ring();
      else nudgeLeader();
    },
    async start() {
      nats.onConnection(() => bell.ring());
      turns = takeTurns({ url: directUrl, log, signal: stopping.signal, lead });
    },
    async stop() {
      stopping.abort();
      await turns;
    },
  };
}

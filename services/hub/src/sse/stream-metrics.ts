import { Counter, Gauge, Histogram, type Metrics } from '@expert-relay/kit/metrics';
import type { StreamCaps } from './stream-caps.ts';

export interface StreamMetrics {
  /** By reason: see `StreamEndReason`, or `left`, `slow`, `stalled`. */
  readonly ended: Counter<'reason'>;
  readonly refused: Counter<'reason'>;
  /** Copies of events that were sent as they happened. */
  readonly sent: Counter;
  /** How a stream became live: `now`, `resumed` or `reset`. */
  readonly started: Counter<'how'>;
  /** Streams that were reset because their address or credential had used up its scans. */
  readonly scansRefused: Counter<'holder'>;
  readonly events: Counter<'type'>;
  readonly eventAge: Histogram;
}

export function createStreamMetrics(metrics: Metrics, caps: StreamCaps): StreamMetrics {
  const registers = [metrics];
  new Gauge({
    name: 'relay_hub_streams',
    help: 'Open streams.',
    labelNames: ['access'],
    registers,
    collect() {
      const { all, anonymous } = caps.open;
      this.set({ access: 'anonymous' }, anonymous);
      this.set({ access: 'credential' }, all - anonymous);
    },
  });
  return {
    ended: new Counter({
      name: 'relay_hub_streams_ended_total',
      help: 'Streams that ended, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    refused: new Counter({
      name: 'relay_hub_streams_refused_total',
      help: 'Streams that were not opened.',
      labelNames: ['reason'],
      registers,
    }),
    sent: new Counter({
      name: 'relay_hub_events_sent_total',
      help: 'Events written to streams as they happened.',
      registers,
    }),
    started: new Counter({
      name: 'relay_hub_streams_begun_total',
      help: 'Streams, by how they began.',
      labelNames: ['how'],
      registers,
    }),
    scansRefused: new Counter({
      name: 'relay_hub_scans_refused_total',
      help: 'Streams that began with hub.reset because their address or credential had used up its scans of older events.',
      labelNames: ['holder'],
      registers,
    }),
    events: new Counter({
      name: 'relay_hub_events_received_total',
      help: 'Events taken from NATS.',
      labelNames: ['type'],
      registers,
    }),
    eventAge: new Histogram({
      name: 'relay_hub_event_age_seconds',
      help: 'Time from the recording of an event until this hub read it.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    }),
  };
}

import {
  type Board,
  cpu,
  eventLoop,
  here,
  hub,
  memory,
  percentiles,
  perSecond,
  rate,
  refusedConnections,
} from './panels.ts';

export const hubBoard: Board = {
  title: 'Expert Relay: hub',
  panels: [
    {
      title: 'Open streams of each pod',
      description: 'RELAY_HUB_MAX_STREAMS is the cap of each pod.',
      unit: 'short',
      queries: { '{{pod}}': `sum by (pod) (relay_hub_streams${here()})` },
    },
    {
      title: 'Open streams with and without a credential',
      unit: 'short',
      queries: { '{{access}}': `sum by (access) (relay_hub_streams${here()})` },
    },
    {
      title: 'Streams started',
      description: 'now: from now on. resumed: from a position. reset: the position was too old.',
      unit: 'cps',
      queries: { '{{how}}': perSecond('relay_hub_streams_begun_total', 'how') },
    },
    {
      title: 'Streams ended',
      description: 'See RelayStreamsDropped in docs/runbook.md.',
      unit: 'cps',
      queries: { '{{reason}}': perSecond('relay_hub_streams_ended_total', 'reason') },
    },
    {
      title: 'Streams turned away',
      description: 'See RelayStreamsTurnedAway in docs/runbook.md.',
      unit: 'cps',
      queries: { '{{reason}}': perSecond('relay_hub_streams_turned_away_total', 'reason') },
    },
    {
      title: 'Deliveries',
      unit: 'cps',
      queries: { '{{pod}}': perSecond('relay_hub_deliveries_total', 'pod') },
    },
    {
      title: 'Events from NATS',
      description: 'Every pod reads every event: the largest figure of a pod, not their sum.',
      unit: 'cps',
      queries: { '{{type}}': `max by (type) (${rate('relay_hub_events_total')})` },
    },
    {
      title: 'From the recording of an event until a hub read it',
      unit: 's',
      queries: percentiles('relay_hub_event_age_seconds'),
    },
    {
      title: 'Scans of older events refused',
      description: 'Such a stream begins with hub.reset: its client reads the state again.',
      unit: 'cps',
      queries: { '{{holder}}': perSecond('relay_hub_scans_refused_total', 'holder') },
    },
    refusedConnections(hub),
    memory(hub),
    cpu(hub),
    eventLoop(hub),
  ],
};

import {
  type Board,
  calls,
  cpu,
  gateway,
  here,
  memory,
  percentiles,
  perSecond,
  rate,
  total,
} from './panels.ts';

export const overview: Board = {
  title: 'Expert Relay: overview',
  panels: [
    {
      title: 'Dependencies: 1, or 0 while one pod cannot use it',
      description: '/readyz of the pod says why. See RelayDependencyAway in docs/runbook.md.',
      unit: 'short',
      queries: {
        '{{service}} to {{dependency}}': `min by (service, dependency) (relay_dependency_up${here()})`,
      },
    },
    {
      title: 'Calls to each service',
      unit: 'reqps',
      queries: { '{{service}}': perSecond(`${calls}_count`, 'service') },
    },
    {
      title: 'Share of calls that the gateway answers with 5xx',
      description: 'Above 2 % for 5 minutes, RelayServerErrors fires.',
      unit: 'percentunit',
      queries: {
        '5xx': `(sum(${rate(`${calls}_count`, `${gateway}, status=~"5.."`)}) or vector(0)) / sum(${rate(`${calls}_count`, gateway)})`,
      },
    },
    { title: 'Time that the gateway takes for a call', unit: 's', queries: percentiles(calls, gateway) },
    { title: 'Open streams', unit: 'short', queries: { streams: `sum(relay_hub_streams${here()})` } },
    {
      title: 'From the recording of an event until a hub read it',
      unit: 's',
      queries: percentiles('relay_hub_event_age_seconds'),
    },
    {
      title: 'Events published',
      unit: 'cps',
      queries: { events: total('relay_outbox_published_total') },
    },
    {
      title: 'Oldest that waits: to be published, to be ended',
      description: 'See RelayOutboxLag and RelayExpiryOverdue in docs/runbook.md.',
      unit: 's',
      queries: {
        outbox: `max(relay_outbox_oldest_seconds${here()})`,
        expiry: `max(relay_expiry_oldest_overdue_seconds${here()})`,
      },
    },
    {
      title: 'Starts of processes in the last hour',
      description: 'A rollout starts each pod once; more starts without a rollout are crashes.',
      unit: 'short',
      queries: { '{{pod}}': `sum by (pod) (changes(relay_process_start_time_seconds${here()}[1h]))` },
    },
    memory(),
    cpu(),
  ],
};

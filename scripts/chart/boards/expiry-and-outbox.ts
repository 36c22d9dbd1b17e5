import { type Board, here, memory, percentiles, perSecond, total } from './panels.ts';

export const expiryAndOutbox: Board = {
  title: 'Expert Relay: expiry and outbox',
  panels: [
    {
      title: 'Outbox: leaders',
      description: '1. See RelayOutboxLeaderMissing in docs/runbook.md.',
      unit: 'short',
      queries: { leaders: `sum(relay_outbox_leader${here()})` },
    },
    {
      title: 'Outbox: events that wait, and events set aside',
      description: 'See RelayOutboxLag and RelayEventsSetAside in docs/runbook.md.',
      unit: 'short',
      queries: {
        waiting: `max(relay_outbox_waiting_rows${here()})`,
        'set aside': `max(relay_outbox_failed_rows${here()})`,
      },
    },
    {
      title: 'Outbox: how long the first event has waited',
      unit: 's',
      queries: { oldest: `max(relay_outbox_oldest_seconds${here()})` },
    },
    {
      title: 'Outbox: published, and repeated since NATS did not acknowledge',
      unit: 'cps',
      queries: {
        published: total('relay_outbox_published_total'),
        repeated: total('relay_outbox_retries_total'),
      },
    },
    { title: 'Conversations ended', unit: 'cps', queries: { ended: total('relay_expiry_ended_total') } },
    {
      title: 'How late conversations end',
      unit: 's',
      queries: percentiles('relay_expiry_lateness_seconds'),
    },
    {
      title: 'Oldest conversation that should have ended',
      description: 'See RelayExpiryOverdue in docs/runbook.md.',
      unit: 's',
      queries: { oldest: `max(relay_expiry_oldest_overdue_seconds${here()})` },
    },
    { title: 'Time of a sweep', unit: 's', queries: percentiles('relay_expiry_sweep_seconds') },
    {
      title: 'Jobs in Redis',
      description: 'Every pod reports the same queues: the largest figure of a pod, not their sum.',
      unit: 'short',
      queries: { '{{queue}}: {{state}}': `max by (queue, state) (relay_expiry_jobs${here()})` },
    },
    {
      title: 'Failed attempts of jobs',
      description: 'A final one is not repeated: the next sweep or purge does its work.',
      unit: 'cps',
      queries: {
        '{{queue}}, final: {{final}}': perSecond('relay_expiry_job_failures_total', 'queue, final'),
      },
    },
    {
      title: 'Schedulers restored',
      description: 'Above 0: Redis has lost data.',
      unit: 'cps',
      queries: { '{{queue}}': perSecond('relay_expiry_scheduler_restored_total', 'queue') },
    },
    {
      title: 'Removed after retention',
      unit: 'cps',
      queries: { '{{what}}': perSecond('relay_purge_removed_total', 'what') },
    },
    {
      title: 'Content kept longer than its retention',
      unit: 's',
      queries: { oldest: `max(relay_purge_backlog_seconds${here()})` },
    },
    { title: 'Time of a purge', unit: 's', queries: percentiles('relay_purge_seconds') },
    memory('service="expiry-worker"'),
  ],
};

import { type Board, cpu, here, memory, percentiles, perSecond } from './panels.ts';

const notifier = 'service="notifier"';

export const notifierBoard: Board = {
  title: 'Expert Relay: notifier',
  panels: [
    {
      title: 'Attempts to deliver, by result',
      description: 'delivered, or the reason of the failure. See RelayDeliveriesFailing in docs/runbook.md.',
      unit: 'cps',
      queries: { '{{result}}': perSecond('relay_notifier_attempts_total', 'result') },
    },
    {
      title: 'How long the first due delivery has waited',
      description: 'See RelayNotifierStalled in docs/runbook.md.',
      unit: 's',
      queries: { oldest: `max(relay_notifier_oldest_due_seconds${here()})` },
    },
    {
      title: 'Time of an attempt',
      description: 'From the look-up of the name to the head of the answer: at most ten seconds.',
      unit: 's',
      queries: percentiles('relay_notifier_attempt_seconds'),
    },
    {
      title: 'Attempts under way',
      description: 'A pod makes up to 64 at the same time, 16 of them to slow or failing receivers.',
      unit: 'short',
      queries: { '{{pod}}': `sum by (pod) (relay_notifier_attempts_in_flight${here()})` },
    },
    {
      title: 'Events read, and deliveries made of them',
      unit: 'cps',
      queries: {
        'events of {{pod}}': perSecond('relay_notifier_events_total', 'pod'),
        'deliveries of {{pod}}': perSecond('relay_notifier_inserted_total', 'pod'),
      },
    },
    {
      title: 'Pods that read the events',
      description: 'One, or none while no endpoint is enabled.',
      unit: 'short',
      queries: { pods: `sum(relay_notifier_reading${here()})` },
    },
    {
      title: 'Endpoints switched off',
      description: 'They failed for five days, or answered 410.',
      unit: 'cps',
      queries: { '{{pod}}': perSecond('relay_notifier_endpoints_switched_off_total', 'pod') },
    },
    {
      title: 'Endpoints under the old key, and without a key',
      description: 'See RelayEndpointsUnreadable in docs/runbook.md.',
      unit: 'short',
      queries: {
        'under the old key': `max(relay_notifier_endpoints_under_old_key${here()})`,
        unreadable: `max(relay_notifier_unreadable_endpoints${here()})`,
      },
    },
    memory(notifier),
    cpu(notifier),
  ],
};

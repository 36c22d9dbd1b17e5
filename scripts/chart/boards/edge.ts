import {
  type Board,
  calls,
  cpu,
  eventLoop,
  gateway,
  here,
  memory,
  p99By,
  perSecond,
  refusedConnections,
} from './panels.ts';

export const edge: Board = {
  title: 'Expert Relay: edge',
  panels: [
    {
      title: 'Calls by status',
      unit: 'reqps',
      queries: { '{{status}}': perSecond(`${calls}_count`, 'status', gateway) },
    },
    {
      title: 'Calls by route',
      unit: 'reqps',
      queries: { '{{method}} {{route}}': perSecond(`${calls}_count`, 'method, route', gateway) },
    },
    {
      title: 'Calls by kind of caller',
      unit: 'reqps',
      queries: { '{{caller}}': perSecond(`${calls}_count`, 'caller', gateway) },
    },
    { title: '99th percentile of each route', unit: 's', queries: p99By(calls, 'route', gateway) },
    {
      title: '99th percentile of each service',
      description: 'Which service a slow call waited for.',
      unit: 's',
      queries: p99By(calls, 'service'),
    },
    {
      title: 'Calls refused for their API key',
      description: 'See RelayAuthFailures in docs/runbook.md.',
      unit: 'cps',
      queries: { '{{reason}}': perSecond('relay_gateway_auth_failures_total', 'reason') },
    },
    {
      title: 'Calls refused by a rate limit',
      description: 'Many: does trustedProxies name the proxy? Without it all callers share its address.',
      unit: 'cps',
      queries: { '{{limit}}': perSecond('relay_gateway_rate_limited_total', 'limit') },
    },
    {
      title: 'Calls between services that were refused',
      description:
        'Above 0: two services have different principal keys. See RelayServerErrors in docs/runbook.md.',
      unit: 'cps',
      queries: { '{{service}}: {{reason}}': perSecond('relay_principal_refused_total', 'service, reason') },
    },
    {
      title: 'Bodies refused before they were complete',
      unit: 'cps',
      queries: { '{{reason}}': perSecond('relay_gateway_bodies_refused_total', 'reason') },
    },
    {
      title: 'Memory of bodies',
      description: 'RELAY_BODY_MEMORY is the limit of each pod.',
      unit: 'bytes',
      queries: { '{{pod}}': `max by (pod) (relay_gateway_body_bytes${here()})` },
    },
    {
      title: 'Memory of answers that clients have not read',
      description: 'RELAY_ANSWER_MEMORY is the limit of each pod.',
      unit: 'bytes',
      queries: { '{{pod}}': `max by (pod) (relay_gateway_unread_bytes${here()})` },
    },
    {
      title: 'Clients disconnected for slowness',
      description:
        'By reason: too slow (slow), beyond the share of their address (address) or of all (memory), or because a service had few connections left (connections).',
      unit: 'cps',
      queries: { '{{reason}}': perSecond('relay_gateway_slow_clients_total', 'reason') },
    },
    refusedConnections(gateway),
    memory(gateway),
    cpu(gateway),
    eventLoop(gateway),
  ],
};

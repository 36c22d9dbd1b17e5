import type { AgentRow } from './agent-row.ts';

/** Lies of the hub. */
export const aboutEvents: readonly AgentRow[] = [
  {
    name: 'drops all events',
    lie: () => ({ blocks: (blocks) => blocks.filter((one) => !one.includes('data:')) }),
  },
  { name: 'repeats each event', lie: () => ({ blocks: (blocks) => [...blocks, ...blocks] }) },
  {
    name: 'sends invented events',
    lie: () => ({
      blocks: (blocks) => [
        ...blocks,
        'data: {"type":"request_closed","refCode":"HS-00000000"}',
        'data: {"type":"new_message","role":"provider"}',
        'data: [[[',
        'event: hub.reset\ndata: 7',
        'id: ../../etc\nretry: 1e9',
      ],
    }),
  },
  { name: 'ends each stream at once', lie: () => ({ stream: () => ({ status: 200, body: '' }) }) },
  { name: 'has no hub', lie: () => ({ stream: () => ({ status: 404, body: 'nothing here' }) }) },
  { name: 'has a hub that sends nothing', lie: () => ({ stream: () => 'nothing' }) },
  {
    name: 'has a hub that sends an endless event',
    lie: () => ({ stream: () => ({ status: 200, body: `data: ${'x'.repeat(3_000_000)}` }) }),
  },
];

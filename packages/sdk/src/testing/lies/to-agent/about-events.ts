import type { AgentRow } from './agent-row.ts';

/** Lies of the hub. */
export const aboutEvents: readonly AgentRow[] = [
  {
    name: 'drops all events',
    lie: () => ({ blocks: (blocks) => blocks.filter((one) => !one.includes('data:')) }),
  },
  { name: 'says each event twice', lie: () => ({ blocks: (blocks) => [...blocks, ...blocks] }) },
  {
    name: 'makes events up',
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
  { name: 'has a hub that says nothing', lie: () => ({ stream: () => 'nothing' }) },
  {
    name: 'has a hub that never stops talking',
    lie: () => ({ stream: () => ({ status: 200, body: `data: ${'x'.repeat(3_000_000)}` }) }),
  },
];

import { aboutEvents as toAgents } from '../to-agent/about-events.ts';
import type { ExpertRow } from './expert-row.ts';

const told = (event: object) => `data: ${JSON.stringify(event)}`;

/** Lies of the hub: events are hints, and what they hint at is looked up. */
export const aboutEvents: readonly ExpertRow[] = [
  ...toAgents.map(({ name, lie }) => ({ name, lie })),
  {
    name: 'makes requests up in events',
    by: 'list',
    lie: ({ elsewhereId }) => ({
      blocks: (blocks) => [
        ...blocks,
        told({ type: 'new_request', requestId: 'AAAAAAAAAAAAAAAAAAAAAA' }),
        told({ type: 'new_request', requestId: '../../help' }),
        told({ type: 'new_request', requestId: elsewhereId }),
        told({ type: 'new_request', requestId: { toString: 7 } }),
        told({ type: 'request_closed', requestId: elsewhereId }),
      ],
    }),
  },
  {
    name: "sends the expert to somebody else's events",
    lie: () => ({
      answer(answer, { path }) {
        if (path === '/api/v1/whoami') answer.userId = '../../requests';
        return answer;
      },
    }),
  },
];

import { aboutEvents as toAgents } from '../to-agent/about-events.ts';
import type { ExpertRow } from './expert-row.ts';

const eventLine = (event: object) => `data: ${JSON.stringify(event)}`;

/** Lies of the hub. Events are only hints: the client reads the request itself from the gateway. */
export const aboutEvents: readonly ExpertRow[] = [
  ...toAgents.map(({ name, lie }) => ({ name, lie })),
  {
    name: 'sends events of invented requests',
    by: 'requests',
    lie: ({ otherRequestId }) => ({
      blocks: (blocks) => [
        ...blocks,
        eventLine({ type: 'new_request', requestId: 'AAAAAAAAAAAAAAAAAAAAAA' }),
        eventLine({ type: 'new_request', requestId: '../../help' }),
        eventLine({ type: 'new_request', requestId: otherRequestId }),
        eventLine({ type: 'new_request', requestId: { toString: 7 } }),
        eventLine({ type: 'request_closed', requestId: otherRequestId }),
      ],
    }),
  },
  {
    name: 'returns an invalid user id, which is part of the event topic',
    lie: () => ({
      answer(answer, { path }) {
        if (path === '/api/v1/whoami') answer.userId = '../../requests';
        return answer;
      },
    }),
  },
];

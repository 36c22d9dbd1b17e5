import type { Call, Json, Lie } from '@expert-relay/testkit';
import type { ExpertRow } from './expert-row.ts';

const inRequests = (alter: (requests: Json[], answer: Json) => unknown): Lie => ({
  answer(answer, { path }: Call) {
    if (/^\/api\/v1\/requests\?/.test(path)) alter(answer.requests as Json[], answer);
    return answer;
  },
});

/** An event that comes late names the request as well. */
const withoutEvents = (requestId: string): Lie => ({
  blocks: (blocks) => blocks.filter((block) => !block.includes(requestId)),
});

const unknownId = 'AAAAAAAAAAAAAAAAAAAAAA';

const rows: readonly ExpertRow[] = [
  { name: 'lists requests twice', lie: () => inRequests((requests) => requests.push(...requests)) },
  {
    name: 'lists a request that does not exist',
    lie: () => inRequests((requests) => requests.unshift({ ...requests[0], requestId: unknownId })),
  },
  {
    name: 'lists requests with a wrong reference code',
    lie: () =>
      inRequests((requests) => requests.map((one) => Object.assign(one, { refCode: 'HS-7KQ2M9XD' }))),
  },
  {
    name: 'lists another request in place of this one',
    lie: ({ requestId, otherRequestId }) => ({
      ...inRequests((requests) => {
        for (const one of requests) if (one.requestId === requestId) one.requestId = otherRequestId;
      }),
      ...withoutEvents(requestId),
    }),
    unnoticed: 'only the relay knows which requests there are',
    error: { code: 'timeout' },
  },
  {
    name: 'leaves a request out of the list',
    lie: ({ requestId }) => ({
      ...inRequests((requests, answer) => {
        answer.requests = requests.filter((one) => one.requestId !== requestId);
      }),
      ...withoutEvents(requestId),
    }),
    unnoticed: 'only the relay knows which requests there are',
    error: { code: 'timeout' },
  },
  {
    name: 'lists nothing, and announces a request by an event only',
    lie: ({ requestId }) => ({
      ...inRequests((_, answer) => Object.assign(answer, { requests: [] })),
      blocks: (blocks) => [...blocks, `data: ${JSON.stringify({ type: 'new_request', requestId })}`],
    }),
  },
  {
    name: 'repeats the list from the start at its end',
    lie: () => ({
      ...inRequests((_, answer) => Object.assign(answer, { next: 'again' })),
      call(call) {
        call.path = call.path.replace('&after=again', '');
      },
    }),
  },
  {
    name: 'lists requests without an end',
    lie: () => {
      let page = 0;
      const made = {
        refCode: 'HS-7KQ2M9XD',
        status: 'pending',
        question: 'Well?',
        responseCount: 0,
        createdAt: '2026-11-21T00:00:00Z',
        expiresAt: '2026-11-24T00:00:00Z',
      };
      return {
        swallow({ path }) {
          if (!path.startsWith('/api/v1/requests?')) return undefined;
          page += 1;
          return {
            status: 200,
            body: { requests: [{ ...made, requestId: `made-up-${page}` }], next: String(page) },
          };
        },
      };
    },
    error: { code: 'unavailable', reason: 'unexpected_answer' },
  },
  ...[7, { requests: 7 }, { requests: [null] }, { requests: [], next: 7 }].map((list) => ({
    name: `returns ${JSON.stringify(list)} as the list`,
    lie: (): Lie => ({
      answer: (answer, { path }) => (path.startsWith('/api/v1/requests?') ? JSON.stringify(list) : answer),
    }),
    error: { code: 'unavailable', reason: 'unexpected_answer' },
  })),
];

/** Lies about which requests there are. */
export const aboutList: readonly ExpertRow[] = rows.map((row) => ({ by: 'requests', ...row }));

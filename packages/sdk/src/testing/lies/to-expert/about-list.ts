import type { Call, Json, Lie } from '@expert-relay/testkit';
import type { ExpertRow, ExpertScene } from './expert-row.ts';

const inRequests = (alter: (requests: Json[], answer: Json) => unknown): Lie => ({
  answer(answer, { path }: Call) {
    if (/^\/api\/v1\/requests\?/.test(path)) alter(answer.requests as Json[], answer);
    return answer;
  },
});

const nobody = 'AAAAAAAAAAAAAAAAAAAAAA';

/** What is no value of any of these members. */
const wrong: Readonly<Record<string, readonly unknown[]>> = {
  requestId: [7, '../../help'],
  refCode: ['HS-1\nHS-2'],
  status: ['open'],
  responseCount: [-1, 1e300],
  createdAt: ['now'],
  expiresAt: [7],
  question: [7, null],
};

const rows: readonly ExpertRow[] = [
  { name: 'lists requests twice', lie: () => inRequests((requests) => requests.push(...requests)) },
  {
    name: 'lists requests that nobody has',
    lie: () => inRequests((requests) => requests.unshift({ ...requests[0], requestId: nobody })),
  },
  {
    name: 'lists requests under the reference codes of others',
    lie: () =>
      inRequests((requests) => requests.map((one) => Object.assign(one, { refCode: 'HS-7KQ2M9XD' }))),
  },
  {
    name: 'lists another request in place of this one',
    lie: ({ requestId, elsewhereId }) =>
      inRequests((requests) => {
        for (const one of requests) if (one.requestId === requestId) one.requestId = elsewhereId;
      }),
    unnoticed: 'nobody else says which there are',
    code: 'timeout',
  },
  {
    name: 'leaves a request out',
    lie: ({ requestId }) =>
      inRequests((requests, answer) => {
        answer.requests = requests.filter((one) => one.requestId !== requestId);
      }),
    unnoticed: 'nobody else says which there are',
    code: 'timeout',
  },
  {
    name: 'lists nothing, and says so in an event alone',
    lie: ({ requestId }) => ({
      ...inRequests((_, answer) => Object.assign(answer, { requests: [] })),
      blocks: (blocks) => [...blocks, `data: ${JSON.stringify({ type: 'new_request', requestId })}`],
    }),
  },
  {
    name: 'begins the list anew at its end',
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
        ...{ refCode: 'HS-7KQ2M9XD', status: 'pending', question: 'Well?', responseCount: 0 },
        ...{ createdAt: '2026-11-21T00:00:00Z', expiresAt: '2026-11-24T00:00:00Z' },
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
    code: 'unexpected_answer',
  },
  ...Object.entries(wrong).flatMap(([member, values]) =>
    values.map((value) => ({
      name: `says ${JSON.stringify(value)} as \`${member}\` in the list`,
      lie: () => inRequests((requests) => requests.map((one) => Object.assign(one, { [member]: value }))),
      code: 'unexpected_answer',
    })),
  ),
  ...[7, { requests: 7 }, { requests: [null] }, { requests: [], next: 7 }].map((list) => ({
    name: `answers ${JSON.stringify(list)} as the list`,
    lie: (): Lie => ({
      answer: (answer, { path }) => (path.startsWith('/api/v1/requests?') ? JSON.stringify(list) : answer),
    }),
    code: 'unexpected_answer',
  })),
];

/** Lies about which requests there are. */
export const aboutList: readonly ExpertRow[] = rows.map((row) => ({ by: 'list', ...row }));

/** Leads a reference code to another request, which then shows that code as its own. */
const leadElsewhere = ({ elsewhereId }: ExpertScene): Lie => {
  let code: unknown;
  return {
    answer(answer, { path }) {
      if (path.includes('/by-ref/')) {
        code = answer.refCode;
        answer.requestId = elsewhereId;
      }
      if (path.includes(`/messages/${elsewhereId}`)) answer.refCode = code;
      return answer;
    },
  };
};

/** Lies about what a reference code stands for. */
export const aboutCode: readonly ExpertRow[] = [
  {
    name: 'leads the code of a request that was looked at to another request, under that code',
    by: 'code',
    before: 'look',
    lie: leadElsewhere,
    code: 'question_altered',
  },
  {
    name: 'finds another request by its reference code',
    by: 'code',
    lie: ({ elsewhereId }) => ({
      answer(answer, { path }) {
        if (path.includes('/by-ref/')) answer.requestId = elsewhereId;
        return answer;
      },
    }),
    code: 'unexpected_answer',
  },
  {
    name: 'finds `../../help` by its reference code',
    by: 'code',
    lie: () => ({
      answer(answer, { path }) {
        if (path.includes('/by-ref/')) answer.requestId = '../../help';
        return answer;
      },
    }),
    code: 'unexpected_answer',
  },
];

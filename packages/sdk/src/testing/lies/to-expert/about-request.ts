import type { Json } from '@expert-relay/testkit';
import { alterList, htmlAnswer, isList, replaceList, truncated } from '@expert-relay/testkit/lies';
import type { ExpertRow } from './expert-row.ts';

/** Lies about the request itself. */
export const aboutRequest: readonly ExpertRow[] = [
  {
    name: 'returns HTML to the first read',
    lie: () => replaceList('once', htmlAnswer),
  },
  {
    name: 'returns HTML to every read',
    lie: () => replaceList('always', htmlAnswer),
    error: { code: 'unavailable', reason: 'unexpected_answer' },
  },
  {
    name: 'truncates an answer',
    lie: () => replaceList('once', truncated),
  },
  {
    name: 'returns another conversation with the id of this one',
    lie: ({ requestId, otherRequestId }) => ({
      call(call) {
        if (isList(call)) call.path = call.path.replace(requestId, otherRequestId);
      },
      answer(answer, call) {
        if (isList(call)) answer.requestId = requestId;
        return answer;
      },
    }),
    error: { code: 'untrusted', reason: 'keys_changed' },
  },
  {
    name: 'lists the same messages without an end',
    lie: () => {
      const all: Json[] = [];
      let seq = 100;
      return alterList((messages, answer) => {
        if (all.length === 0) all.push(...messages.filter(({ role }) => role === 'consumer'));
        if (all.length === 0) return;
        seq += 1;
        messages.splice(0, messages.length, ...all.map((one) => ({ ...one, seq })));
        answer.next = seq;
      });
    },
    error: { code: 'unavailable', reason: 'unexpected_answer' },
    after: 1,
    agent: { code: 'timeout' },
  },
  {
    name: 'redirects a call to another address',
    lie: ({ gatewayUrl }) => ({
      instead: (call) => (isList(call) ? { status: 302, headers: { location: gatewayUrl } } : undefined),
    }),
    error: { code: 'unavailable', reason: 'unreachable' },
  },
];

import type { ListedRequest, RequestState, WhoAmI } from '../request-state.ts';
import { count, list, type Members, matching, members, oneOf, optionalText, text } from './shape.ts';

/* Answers that several calls share. */

/** The members that the answer to a submit has, too. */
export const requestHead = (body: Members) => ({
  requestId: requestId(body),
  refCode: refCode(body),
  status: oneOf(body, 'status', ['pending', 'responded', 'closed', 'expired']),
  expiresAt: time(body, 'expiresAt'),
});

export const requestState = (body: Members): RequestState => ({
  ...requestHead(body),
  responseCount: count(body, 'responseCount'),
  createdAt: time(body, 'createdAt'),
});

/* These texts are shown inside our own sentences to people and models, so they must not be sentences themselves. */

const refCode = (body: Members): string => matching(body, 'refCode', /^HS-[0-9A-Z]{1,32}$/);

export const time = (body: Members, name: string): string =>
  matching(body, name, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);

/** An id becomes part of addresses, and must differ from a reference code. */
const requestIdPattern = /^(?!hs-)[\w-]{1,200}$/i;

export const requestId = (body: Members): string => matching(body, 'requestId', requestIdPattern);

export const isRequestId = (id: unknown): id is string => typeof id === 'string' && requestIdPattern.test(id);

export const whoAmI = (answer: unknown): WhoAmI => {
  const body = members(answer);
  return {
    kind: oneOf(body, 'kind', ['consumer', 'provider']),
    name: text(body, 'name'),
    userId: matching(body, 'userId', /^[\w-]{1,200}$/),
    topics: Array.isArray(body.topics) ? body.topics.filter((topic) => typeof topic === 'string') : [],
  };
};

export interface RequestPage {
  readonly requests: readonly ListedRequest[];
  readonly next: string | undefined;
}

export const requestPage = (answer: unknown): RequestPage => {
  const body = members(answer);
  return {
    requests: list(body, 'requests', (one) => ({ ...requestState(one), question: text(one, 'question') })),
    next: optionalText(body, 'next'),
  };
};

import type { ListedRequest, RequestState, RequestStatus, WhoAmI } from '../request-state.ts';
import type { Api } from './api.ts';
import {
  count,
  list,
  type Members,
  matching,
  members,
  oneOf,
  optionalText,
  text,
  unexpected,
} from './shape.ts';

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

const requestPage = (answer: unknown): RequestPage => {
  const body = members(answer);
  return {
    requests: list(body, 'requests', (one) => ({ ...requestState(one), question: text(one, 'question') })),
    next: optionalText(body, 'next'),
  };
};

const pageSize = 200;
/**
 * A longer list is refused before it fills the memory. Counted are the characters of all questions, 500 more for each
 * request and 100,000 for each page: about 200,000 requests with short questions.
 */
const maxTotalLength = 2e8;

/** All requests that a key may see, newest first. */
export async function listRequests(
  api: Api,
  {
    status,
    q,
    signal,
  }: {
    status?: RequestStatus | 'pending,responded' | undefined;
    /** A part of the question, or the reference code. */
    q?: string | undefined;
    signal?: AbortSignal | undefined;
  } = {},
): Promise<readonly ListedRequest[]> {
  const query = new URLSearchParams({ limit: String(pageSize), ...(status && { status }), ...(q && { q }) });
  const seen = new Set<string>();
  let all: readonly ListedRequest[] = [];
  for (let length = 0; length < maxTotalLength; ) {
    const { requests, next } = await api.get(`/api/v1/requests?${query}`, requestPage, signal);
    // Not `push(...requests)`: a call takes a limited number of arguments.
    all = all.concat(requests);
    // A cursor that was seen before would make the list endless.
    if (next === undefined || seen.has(next)) return all;
    seen.add(next);
    for (const { question } of requests) length += question.length + 500;
    length += next.length + 100_000;
    query.set('after', next);
  }
  unexpected('a shorter list');
}

/** The open requests, oldest first. */
export async function listOpen(api: Api, signal?: AbortSignal): Promise<readonly ListedRequest[]> {
  const open = await listRequests(api, { status: 'pending,responded', signal });
  return open.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

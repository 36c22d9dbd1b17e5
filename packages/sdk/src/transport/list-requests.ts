import type { ListedRequest, RequestStatus } from '../request-state.ts';
import type { Api } from './api.ts';
import { requestPage } from './request-shape.ts';
import { unexpected } from './shape.ts';

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
  unexpected('a list that goes on');
}

/** The open requests, oldest first. */
export async function listOpen(api: Api, signal?: AbortSignal): Promise<readonly ListedRequest[]> {
  const open = await listRequests(api, { status: 'pending,responded', signal });
  return open.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

import type { ListedRequest, RequestStatus } from '../request-state.ts';
import type { Api } from './api.ts';
import { requestPage } from './request-shape.ts';
import { unexpected } from './shape.ts';

const pageSize = 200;
/**
 * Ends a list that has no end, before it fills the memory: the characters of all questions, 500 more for each request
 * and 100,000 for each page. So 200,000 requests with short questions are listed.
 */
const longest = 2e8;

/** All requests that a key may see, newest first, page by page. */
export async function* listRequests(
  api: Api,
  options: { status?: RequestStatus | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly ListedRequest[], void, void> {
  const query = new URLSearchParams({ limit: String(pageSize) });
  if (options.status) query.set('status', options.status);
  const seen = new Set<string>();
  for (let length = 0; length < longest; ) {
    const { requests, next } = await api.get(`/api/v1/requests?${query}`, requestPage, options.signal);
    yield requests;
    // A list that leads back into itself would have no end.
    if (next === undefined || seen.has(next)) return;
    seen.add(next);
    for (const { question } of requests) length += question.length + 500;
    length += next.length + 100_000;
    query.set('after', next);
  }
  unexpected('a list that goes on');
}

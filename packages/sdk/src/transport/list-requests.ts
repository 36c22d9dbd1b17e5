import type { ListedRequest, RequestStatus } from '../request-state.ts';
import type { Api } from './api.ts';
import { requestPage } from './request-shape.ts';
import { unexpected } from './shape.ts';

const pageSize = 200;
/** As many pages as anybody reads: 200,000 requests. What goes on after that is made up. */
const mostPages = 1_000;

/** All requests that a key may see, newest first, page by page. */
export async function* listRequests(
  api: Api,
  options: { status?: RequestStatus | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly ListedRequest[], void, void> {
  const query = new URLSearchParams({ limit: String(pageSize) });
  if (options.status) query.set('status', options.status);
  const seen = new Set<string>();
  for (let page = 0; page < mostPages; page += 1) {
    const { requests, next } = await api.get(`/api/v1/requests?${query}`, requestPage, options.signal);
    yield requests;
    // A list that leads back into itself would have no end.
    if (next === undefined || seen.has(next)) return;
    seen.add(next);
    query.set('after', next);
  }
  unexpected('a list that goes on');
}

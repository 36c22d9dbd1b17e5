import { invalidInput } from '../relay-error.ts';
import {
  type Follows,
  type ListedRequest,
  type RequestNotes,
  type RequestState,
  type RequestStatus,
  readParty,
  type WhoAmI,
} from '../request-state.ts';
import type { Api } from './api.ts';
import {
  count,
  isObject,
  list,
  type Members,
  matching,
  members,
  oneOf,
  optionalText,
  text,
  textOf,
  unexpected,
} from './shape.ts';

/* Responses that several calls share. */

/** The members that the response to a submit has, too. */
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

/** What is not of this form is left out, and so is the end of a request that is not closed. */
export const requestNotes = ({ status, follows, tags, closedBy, closeReason }: Members): RequestNotes => ({
  ...(isObject(follows) && { follows: readFollows(follows) }),
  tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string').slice(0, 10) : [],
  ...(status === 'closed' && {
    closedBy: readParty(closedBy),
    closeReason: textOf(closeReason),
  }),
});

const readFollows = ({ files, question }: Members): Follows => ({
  files: typeof files === 'number' && files > 0 ? Math.min(Math.trunc(files), 99) : 0,
  question: question === true,
});

/* These texts are shown inside our own sentences to people and models, so they must not be sentences themselves. */

const refCode = (body: Members): string => matching(body, 'refCode', /^HS-[0-9A-Z]{1,32}$/);

export const time = (body: Members, name: string): string =>
  matching(body, name, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);

/** An id becomes part of addresses, and must differ from a reference code. */
const requestIdPattern = /^(?!hs-)[\w-]{1,200}$/i;

export const requestId = (body: Members): string => matching(body, 'requestId', requestIdPattern);

export const isRequestId = (id: unknown): id is string => typeof id === 'string' && requestIdPattern.test(id);

export const whoAmI = (value: unknown): WhoAmI => {
  const body = members(value);
  return {
    kind: oneOf(body, 'kind', ['consumer', 'provider']),
    name: text(body, 'name'),
    userId: matching(body, 'userId', /^[\w-]{1,200}$/),
    topics: Array.isArray(body.topics) ? body.topics.filter((topic) => typeof topic === 'string') : [],
  };
};

interface RequestPage<Row> {
  readonly requests: readonly Row[];
  readonly next: string | undefined;
}

const readPage = <Row>(value: unknown, read: (request: Members) => Row): RequestPage<Row> => {
  const body = members(value);
  return { requests: list(body, 'requests', read), next: optionalText(body, 'next') };
};

const listedRequest = (one: Members): ListedRequest => ({
  ...requestState(one),
  ...requestNotes(one),
  question: text(one, 'question'),
  messageCount: count(one, 'messageCount'),
});

const pageSize = 200;
/**
 * A longer list is refused before it fills the memory. Counted are the characters of all questions, 500 more for each
 * request and 100,000 for each page: about 200,000 requests with short questions.
 */
const maxTotalLength = 2e8;

interface Listing<Row> {
  readonly status?: RequestStatus | 'pending,responded' | undefined;
  /** A part of the question, or the reference code. */
  readonly q?: string | undefined;
  /** Reads each request from its whole content. */
  readonly read?: ((request: Members) => Row) | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The requests that a key may see: of an expert those with the newest activity first, of an agent the newest first. */
export async function listRequests(api: Api, listing?: Listing<never>): Promise<readonly ListedRequest[]>;
export async function listRequests<Row>(
  api: Api,
  listing: Listing<Row> & { readonly read: (request: Members) => Row },
): Promise<readonly Row[]>;
export async function listRequests<Row>(
  api: Api,
  { status, q, read, limit = Number.POSITIVE_INFINITY, signal }: Listing<Row> = {},
): Promise<readonly (Row | ListedRequest)[]> {
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit > 0))
    throw invalidInput('`limit` must be a whole number from 1 on.');
  const query = new URLSearchParams({
    limit: String(Math.min(pageSize, limit)),
    ...(status && { status }),
    ...(q && { q }),
    ...(read && { content: 'true' }),
  });
  const seen = new Set<string>();
  let all: readonly (Row | ListedRequest)[] = [];
  let length = 0;
  const readOne = (one: Members) => {
    length += lengthOf(one) + 500;
    return (read ?? listedRequest)(one);
  };
  while (length < maxTotalLength) {
    const path = `/api/v1/requests?${query}`;
    const { requests, next } = await api.get(path, (body) => readPage(body, readOne), signal);
    // Not `push(...requests)`: a call takes a limited number of arguments.
    all = all.concat(requests);
    // A cursor that was seen before would make the list endless.
    if (next === undefined || seen.has(next) || all.length >= limit) return all.slice(0, limit);
    seen.add(next);
    length += next.length + 100_000;
    query.set('after', next);
  }
  unexpected('a shorter list');
}

/** The characters of a request's question and context. */
function lengthOf({ question, plaintext, context }: Members): number {
  const texts = Array.isArray(context)
    ? context.map((one) => (isObject(one) ? textOf(one.content) : ''))
    : [];
  return [textOf(question), textOf(plaintext), ...texts].reduce((sum, one) => sum + (one?.length ?? 0), 0);
}

/** The open requests, oldest first. */
export async function listOpen(api: Api, signal?: AbortSignal): Promise<readonly ListedRequest[]> {
  const open = await listRequests(api, { status: 'pending,responded', signal });
  return open.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

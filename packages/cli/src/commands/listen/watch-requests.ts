import type { ListedRequest } from '@expert-relay/sdk';
import type { Expert, ExpertEvent, ExpertRequest, ListedQuestion } from '@expert-relay/sdk/expert';
import { hasEnded } from '@expert-relay/sdk/internal';
import type { Context } from '../../context.ts';
import { explainError } from '../../explain-error.ts';
import type { ExpertConnection } from '../../relay/connect-expert.ts';
import { readCurrentMessages } from '../../relay/read-current-messages.ts';
import { mayBeShown } from '../../relay/request-state.ts';
import { describeRequest, type News } from './show-news.ts';

/** A request that was listed or announced. It is read only after a message of its agent. */
interface Watched {
  readonly requestId: string;
  refCode: string;
  /** Once it was read. */
  request: ExpertRequest | undefined;
  /** The first message to show. Earlier ones are skipped. */
  from: string | undefined;
  /** Messages that were shown, or were there before. */
  readonly known: Set<string>;
  /** Whether the last attempt to read it failed. */
  isUnread: boolean;
  state: 'open' | 'needs keys' | 'over';
  /** Resolves when all tasks of this request are done. They run one after another. */
  work: Promise<void>;
}

interface Watching {
  /** Resolves when it was written to standard output, and remembered as shown. */
  show(news: News): Promise<void>;
  picksUp: boolean;
}

/**
 * Shows all waiting requests, then new ones and new messages, until the signal aborts. It uses one list and one stream:
 * a request is read when it is new, or after a message of its agent.
 */
export async function watchRequests(
  { signal, err }: Context,
  connection: ExpertConnection,
  { show, picksUp }: Watching,
): Promise<void> {
  const watched = new Map<string, Watched>();
  const clients = [connection.expert];
  let isListed = false;
  const reader = (): Expert => clients.at(-1) ?? connection.expert;

  function watch({ requestId, refCode }: Pick<ListedRequest, 'requestId' | 'refCode'>): Watched {
    const one: Watched = {
      requestId,
      refCode,
      request: undefined,
      from: undefined,
      known: new Set(),
      isUnread: false,
      state: 'open',
      work: Promise.resolve(),
    };
    watched.set(requestId, one);
    return one;
  }

  /** Runs tasks of one request in order. An error affects only this request. */
  function queue(one: Watched, run: () => Promise<void>): void {
    one.work = one.work.then(run).catch(async (error: unknown) => {
      if (signal.aborted) return;
      const { requestId, refCode } = one;
      const { outcome, code, reason, message } = explainError(error, signal);
      if (outcome === 'unreachable') {
        // It is read again with the next list. One that was never read is then treated as new.
        one.isUnread = true;
        if (!one.request) watched.delete(requestId);
        return;
      }
      // Requests that do not exist any more are ignored.
      if (outcome === 'unknown' || one.state !== 'open') return;
      one.state = code === 'no_keys_yet' ? 'needs keys' : 'over';
      await show({ type: 'refused', refCode, requestId, code, reason, message });
    });
  }

  /** Shows the agent's messages since the last read. */
  async function read(one: Watched): Promise<void> {
    if (one.state === 'over') return;
    const isFresh = one.request === undefined;
    one.isUnread = false;
    one.request ??= await reader().request(one.requestId, { signal });
    const { request, requestId, known } = one;
    one.refCode = request.refCode;
    // Without keys, only another read reports why nothing can be read.
    const isRead = isFresh && (request.isPickedUp || !request.encrypted);
    const { messages, refused } = await readCurrentMessages(request, signal, { isFresh: isRead });
    const begin = Math.max(
      0,
      messages.findIndex(({ messageId }) => messageId === one.from),
    );
    for (const [index, { from, ...message }] of messages.entries()) {
      const isNews = from === 'agent' && index >= begin && !known.has(message.messageId);
      known.add(message.messageId);
      if (!isNews) continue;
      await showQuestionFirst(request);
      await show({ type: 'message', refCode: request.refCode, requestId, ...message });
    }
    one.from = undefined;
    if (refused) throw refused;
  }

  /** A message counts as shown together with its question, which may only have been shown elsewhere. */
  async function showQuestionFirst(request: ExpertRequest): Promise<void> {
    const isShown = await reader().shownBefore(request.requestId, Number.POSITIVE_INFINITY);
    if (!isShown) await show(describeRequest(request));
  }

  /** Shows a request that arrived while this command runs. */
  function addNew(requestId: string): void {
    const one = watch({ requestId, refCode: '' });
    queue(one, async () => {
      one.request = await reader().request(requestId, { signal });
      one.refCode = one.request.refCode;
      if (mayBeShown(one.request)) await show(describeRequest(one.request));
      await pickUp(one.request);
      await read(one);
    });
  }

  async function pickUp(request: ExpertRequest): Promise<void> {
    if (picksUp && connection.hasKeys && request.encrypted && !request.isPickedUp)
      await request.pickUp({ signal });
  }

  function end(one: Watched, status: string): void {
    queue(one, async () => {
      if (one.state === 'over') return;
      one.state = 'over';
      const { refCode, requestId, request } = one;
      // The event has no reason.
      if (status === 'closed') await request?.refresh({ signal }).catch(() => {});
      const { closedBy, closeReason } = request ?? {};
      await show({ type: 'ended', refCode, requestId, status, closedBy, closeReason });
    });
  }

  /** Lists the open requests: first the waiting ones, later those that may have been missed. */
  async function list(isMissed: boolean): Promise<void> {
    const pending = await connection.expert.list({ status: 'pending', signal });
    const responded = await connection.expert.list({ status: 'responded', signal });
    const open = [...pending, ...responded].sort((one, other) =>
      one.createdAt.localeCompare(other.createdAt),
    );
    const ids = new Set(open.map(({ requestId }) => requestId));
    for (const one of watched.values()) {
      if (!ids.has(one.requestId)) queue(one, () => checkWhetherEnded(one));
      // A conversation that was not read here has no position to continue from: `relay show` shows it.
      else if ((isMissed || one.isUnread) && one.request) queue(one, () => read(one));
    }
    const isRead = isListed || picksUp;
    for (const request of open) {
      if (watched.has(request.requestId)) continue;
      if (isRead) addNew(request.requestId);
      else await showListed(request);
    }
    if (!isRead && responded.length > 0) err.paragraph(describeAnswered(responded.length), { style: 'dim' });
    isListed = true;
  }

  /** Shows a request as it is listed. It is not read before a message of its agent. */
  async function showListed(request: ListedQuestion): Promise<void> {
    const one = watch(request);
    const { requestId, refCode, status, refused } = request;
    if (refused) {
      one.state = 'over';
      const { code, reason } = refused;
      await show({ type: 'refused', refCode, requestId, code, reason, message: notAsBefore });
    } else if (status === 'pending') await show(describeRequest(request));
  }

  async function checkWhetherEnded(one: Watched): Promise<void> {
    if (one.state === 'over') return;
    one.request ??= await reader().request(one.requestId, { signal });
    await one.request.refresh({ signal }).catch(() => {});
    const { status } = one.request;
    if (hasEnded({ status })) end(one, status);
  }

  /** Keys may be made or restored while this command runs. */
  async function checkForNewKeys(): Promise<void> {
    const client = await connection.renew();
    if (!client) return;
    clients.push(client);
    err.paragraph('This machine now has keys: encrypted messages are read from now on.', {
      style: 'green',
    });
    for (const one of watched.values()) {
      one.request = undefined;
      if (one.state !== 'needs keys') continue;
      one.state = 'open';
      queue(one, () => read(one));
    }
  }

  async function take(event: ExpertEvent): Promise<void> {
    await checkForNewKeys();
    if (event.type === 'unknown') {
      // An outage is reported elsewhere. Another such event follows.
      await list(event.isMissed).catch((error: unknown) => {
        if (explainError(error, signal).outcome !== 'unreachable') throw error;
      });
      return;
    }
    const one = watched.get(event.requestId);
    if (event.type === 'new_request' && !one) addNew(event.requestId);
    else if (event.type === 'request_closed' && one) end(one, event.reason);
    else if (event.type === 'new_message' && event.from === 'agent') {
      const watching = one ?? watch({ requestId: event.requestId, refCode: '' });
      if (!watching.request) watching.from ??= event.messageId;
      queue(watching, () => read(watching));
    }
  }

  try {
    for await (const event of connection.expert.events({ signal })) await take(event);
  } finally {
    for (const client of clients) client.stop();
    await Promise.all([...watched.values()].map(({ work }) => work));
  }
}

const notAsBefore =
  'It is not what was shown before. Do not answer it before you know why: ask the agent over another channel.';

const describeAnswered = (count: number): string =>
  `${count} more ${count === 1 ? 'is' : 'are'} answered and still open: relay show\n`;

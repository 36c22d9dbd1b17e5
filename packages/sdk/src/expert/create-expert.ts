import { createClient } from '../client.ts';
import { checkOptions } from '../client-options.ts';
import { openExpert } from '../crypto/index.ts';
import { continued, partOf } from '../memory.ts';
import { hasCode, RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import { createFollower, type Follower } from '../thread/follower.ts';
import { createIterator, createMailbox } from '../thread/mailbox.ts';
import { hasForms } from '../thread/message-parts.ts';
import type { Head } from '../thread/page.ts';
import { isOutage } from '../thread/refresher.ts';
import { createSender, type Sender } from '../thread/sender.ts';
import { createThread } from '../thread/thread.ts';
import { isRequestId, listRequests, requestId as readRequestId } from '../transport/requests.ts';
import { members, unexpected } from '../transport/shape.ts';
import { abortedError, onAbort } from '../transport/waiting.ts';
import { createActivity } from './activity.ts';
import type { Expert, ExpertEvent, ExpertOptions, SessionExpertOptions } from './expert.ts';
import { ExpertConversation } from './expert-conversation.ts';
import type { ExpertRequest } from './expert-request.ts';
import { createExpertSide } from './expert-side.ts';
import { createInbox } from './inbox.ts';
import { checkRow, checkRows, readRow } from './list-questions.ts';
import { createRequestMemory, normalizeCode } from './request-memory.ts';
import { createOutbox } from './session-outbox.ts';
import { createShownMessages } from './shown-messages.ts';

/**
 * Connects an expert to the relay. It makes no calls and opens no connection before one of its methods is called.
 *
 * @example
 * const expert = createExpert({ url: 'https://relay.example', apiKey: 'hs_prov_...', root });
 * for await (const request of expert.requests()) {
 *   await request.answer(`You asked: ${request.question}`);
 * }
 */
export function createExpert(options: ExpertOptions): Expert {
  return connect(options, 'apiKey root', 'expert');
}

/**
 * Connects an expert who is signed in: by the session's cookie, without an API key.
 *
 * @example
 * const expert = createSessionExpert({ url: location.origin, root, memory });
 * const request = await expert.request('HS-7KQ2M9XD');
 * await request.answer('Yes, it is stale.');
 */
export function createSessionExpert(options: SessionExpertOptions): Expert {
  return connect(options, 'root listen', 'session');
}

function connect(
  options: ExpertOptions | SessionExpertOptions,
  ownOptions: string,
  kind: 'expert' | 'session',
): Expert {
  const { root, listen: follow } = options as SessionExpertOptions;
  const activity = createActivity(() => client.hub, follow);
  const client = createClient(options, ownOptions, kind, activity.onEvent);
  const { api, hub, keyMemory } = client;
  const isSession = kind === 'session';
  const stops = new Set<(error: RelayError) => void>();
  let isStopped = false;
  let opened: ReturnType<typeof openExpert> | undefined;
  function keys() {
    if (root) opened ??= openExpert(root);
    return opened;
  }

  // What was shown before the root was there counts as well.
  const memory = root
    ? continued(
        partOf(client.memory, async () => (await keys())?.fingerprint ?? ''),
        keyMemory,
      )
    : keyMemory;
  const requests = createRequestMemory(memory);
  const shown = createShownMessages(memory);

  async function load(requestId: string, signal: AbortSignal | undefined): Promise<ExpertRequest> {
    const expert = await keys();
    const side = createExpertSide({ requestId, expert, requests });
    const outbox = isSession ? createOutbox(keyMemory, requestId) : undefined;
    const [drafts = []] = await Promise.all([outbox?.recall(), side.recall()]);
    const hasDrafts = () => sender.hasDrafts;
    const thread = createThread({ api, requestId, side, hasDrafts });
    const isPlain = () => !side.isEncrypted;
    const save = async () => {
      if (!sender.state.outgoing) await side.keep(thread.state.channel?.ends);
    };
    const prepare = async (aborted: AbortSignal | undefined) => {
      if (side.isEncrypted && !side.isPickedUp) await requested.pickUp({ signal: aborted });
      // New messages of other devices are read before this one is sent.
      else await thread.readIfStale(aborted);
    };
    const state = { drafts, outgoing: undefined };
    const decisionLastsMs = client.timing.decision;
    const sender: Sender = createSender({
      ...{ api, thread, isPlain, prepare, save, outbox, state },
      decisionLastsMs,
    });
    const listen = (refresh: () => void) => {
      if (isStopped) {
        follower.stop(stopped());
        return () => {};
      }
      stops.add(follower.stop);
      const unlisten = activity.listen((event) => {
        if (event.type === 'unknown' || event.requestId === requestId) refresh();
      });
      refresh();
      return () => {
        stops.delete(follower.stop);
        unlisten();
      };
    };
    const follower: Follower = createFollower({ thread, sender, listen, backoff: api.backoff });
    // A request whose messages are refused can still be shown, but no question that was not compared.
    await thread.read(signal).catch((error: unknown) => {
      if (!side.question && !thread.refusal) throw error;
    });
    const request = thread.head as Head;
    if (side.form || drafts.some(({ parts }) => hasForms(parts))) await thread.forms.load();
    // The list may show that some of them were sent.
    if (drafts.length > 0) await sender.keep();
    const requested = new ExpertConversation({ api, thread, sender, follower, request }, side);
    return requested;
  }

  /** Listens until the signal aborts or the client is stopped. Returns a function that ends it directly. */
  function listenUntil(
    signal: AbortSignal | undefined,
    stop: (error: RelayError) => void,
    listen: () => () => void,
  ): () => void {
    if (isStopped) {
      stop(stopped());
      return () => {};
    }
    const unlisten = listen();
    const release = onAbort(signal, () => stop(abortedError(signal as AbortSignal)));
    stops.add(stop);
    return () => {
      stops.delete(stop);
      unlisten();
      release();
      stop(stopped());
    };
  }

  return {
    fingerprint: async () => (await keys())?.fingerprint,
    requests(options = {}) {
      const { signal } = checkOptions(options, 'signal');
      const inbox = createInbox(api, load);
      const follow = () =>
        listenUntil(signal, inbox.stop, () => {
          inbox.list();
          return activity.listen((event) => {
            if (event.type === 'new_request') inbox.add(event.requestId);
            else if (event.type === 'unknown') inbox.list();
          });
        });
      return createIterator(follow, async (left) => {
        for (let id = await inbox.take(left); id !== undefined; id = await inbox.take(left)) {
          try {
            const request = await load(id, inbox.stopped);
            if (!hasEnded(request)) return request;
          } catch (error) {
            if (isOutage(error)) inbox.retryLater(id);
            // Requests that no longer exist are skipped. After a stop, the inbox reports the reason.
            else if (!inbox.stopped.aborted && !hasCode(error, 'not_found')) throw error;
          }
        }
        return undefined;
      });
    },
    events(options = {}) {
      const { signal } = checkOptions(options, 'signal');
      const mailbox = createMailbox<ExpertEvent>();
      const follow = () =>
        listenUntil(signal, mailbox.end, () => activity.listen((event) => mailbox.push([event])));
      return createIterator(follow, (left) => mailbox.take({ signal: left }));
    },
    async list(options = {}) {
      const heads = await listRequests(api, { ...checkOptions(options, 'status signal'), read: readRow });
      return await Promise.all(heads.map((head) => checkRow(requests, head)));
    },
    check: (rows) => checkRows(requests, rows),
    markShown: (requestId, messageIds = []) => shown.mark(requestId, messageIds),
    shownBefore: shown.before,
    async request(requestIdOrRefCode, options = {}) {
      const { signal } = checkOptions(options, 'signal');
      if (isRequestId(requestIdOrRefCode)) return load(requestIdOrRefCode, signal);
      const hasThisCode = ({ refCode }: { readonly refCode: string }) =>
        normalizeCode(refCode) === normalizeCode(requestIdOrRefCode);
      // A session can find a code only by searching.
      const requestId = isSession
        ? (await listRequests(api, { q: requestIdOrRefCode, signal })).find(hasThisCode)?.requestId
        : await api.get(
            `/api/v1/requests/by-ref/${encodeURIComponent(requestIdOrRefCode)}`,
            (answer) => readRequestId(members(answer)),
            signal,
          );
      if (!requestId) throw new RelayError('not_found', 'No request has this code.');
      const request = await load(requestId, signal);
      return hasThisCode(request) ? request : unexpected('the request that was asked for');
    },
    whoami: async (options = {}) => await client.whoami(checkOptions(options, 'signal').signal),
    stop() {
      isStopped = true;
      for (const stop of [...stops]) stop(stopped());
      hub.stop();
    },
  };
}

const stopped = () => new RelayError('aborted', 'The client was stopped. Make a new one to go on.');

import { createClient } from '../client.ts';
import { checkOptions } from '../client-options.ts';
import { withConnection } from '../config.ts';
import { openExpertKeys } from '../crypto/expert-keys.ts';
import { RelayError } from '../relay-error.ts';
import { continued, partOf } from '../store.ts';
import { createIterator, Mailbox } from '../thread/mailbox.ts';
import { isOutage } from '../thread/refresher.ts';
import { isRequestId, listRequests, requestId as readRequestId } from '../transport/requests.ts';
import { members, unexpected } from '../transport/shape.ts';
import { abortedError, onAbort } from '../transport/waiting.ts';
import { Activity } from './activity.ts';
import type { DueRequests } from './due-requests.ts';
import type { Expert, ExpertEvent, ExpertOptions, SessionExpertOptions } from './expert.ts';
import type { ExpertRequest } from './expert-request.ts';
import { createInbox } from './inbox.ts';
import { checkRow, checkRows, readRow } from './list-questions.ts';
import { removePending } from './pending-store.ts';
import { normalizeCode, RequestMemory } from './request-memory.ts';
import { createShownMessages } from './shown-messages.ts';
import { readVault, writeVault } from './vault-calls.ts';

/** The code of a conversation is loaded with the first one: a page that only lists requests does without it. */
const loadConversations = () => import('./load-request.ts');

/**
 * Connects an expert to the relay. It makes no calls and opens no connection before one of its methods is called.
 *
 * @example
 * // With RELAY_URL and RELAY_API_KEY in the environment, or with `url` and `apiKey`. In a page of the relay, an expert who is
 * // signed in needs no key: createExpert({ session: true, url: location.origin, root, store }).
 * const expert = createExpert({ root });
 * for await (const request of expert.requests()) {
 *   await request.answer(`You asked: ${request.question}`);
 * }
 */
export function createExpert(options: ExpertOptions | SessionExpertOptions = {}): Expert {
  const isSession = options.session === true;
  const { root } = options;
  const activity = new Activity(() => client.hub, isSession ? options.listen : undefined);
  const client = createClient(
    isSession ? options : withConnection(options),
    isSession ? 'session root listen' : 'session root apiKey',
    isSession ? 'session' : 'expert',
    (event) => activity.onEvent(event),
  );
  const { api, hub, keyValues } = client;
  const store = isSession ? client.store : undefined;
  const stops = new Set<(error: RelayError) => void>();
  const looped: ExpertRequest[] = [];
  let isStopped = false;
  let opened: ReturnType<typeof openExpertKeys> | undefined;
  function keys() {
    if (root) opened ??= openExpertKeys(root);
    return opened;
  }

  // What was shown before the root was there counts as well.
  const values = root
    ? continued(
        partOf(client.store, async () => (await keys())?.fingerprint ?? ''),
        keyValues,
      )
    : keyValues;
  const requestMemory = new RequestMemory(values);
  const shownMessages = createShownMessages(values);

  async function load(requestId: string, signal: AbortSignal | undefined): Promise<ExpertRequest> {
    const [expert, { loadRequest }] = await Promise.all([keys(), loadConversations()]);
    const connection = { client, activity, requestMemory, expert, store, looped, stopWith };
    return await loadRequest(connection, requestId, signal);
  }

  /** Ends something when the client is stopped, also if it was stopped before. Returns a function that forgets it. */
  function stopWith(stop: (error: RelayError) => void): (() => void) | undefined {
    if (isStopped) {
      stop(stopped());
      return undefined;
    }
    stops.add(stop);
    return () => stops.delete(stop);
  }

  /** Listens until the signal aborts or the client is stopped. Returns a function that ends it directly. */
  function listenUntil(
    signal: AbortSignal | undefined,
    stop: (error: RelayError) => void,
    listen: () => () => void,
  ): () => void {
    const forget = stopWith(stop);
    if (!forget) return () => {};
    const unlisten = listen();
    const release = onAbort(signal, () => stop(abortedError(signal as AbortSignal)));
    return () => {
      forget();
      unlisten();
      release();
      stop(stopped());
    };
  }

  return {
    fingerprint: async () => (await keys())?.fingerprint,
    requests(options = {}) {
      const { filter, signal } = checkOptions(options, 'filter signal');
      const inbox = createInbox(api, load);
      let due: DueRequests | undefined;
      const follow = () =>
        listenUntil(
          signal,
          (error) => inbox.stop(error),
          () => {
            const unlisten = activity.listen((event) => {
              if (event.type === 'unknown') inbox.list();
              else if (event.type === 'new_request') inbox.add(event.requestId);
              else if (event.type === 'new_message') inbox.noteMessage(event.requestId, event.from);
            });
            inbox.list();
            return unlisten;
          },
        );
      return createIterator(follow, async (left) => {
        for (let id = await inbox.take(left); id !== undefined; id = await inbox.take(left)) {
          due ??= new (await loadConversations()).DueRequests(filter, looped);
          if (due.isSkipped(id)) continue;
          try {
            const request = await load(id, inbox.stopped);
            if (await due.isDue(request)) return request;
          } catch (error) {
            if (isOutage(error)) inbox.retryLater(id);
            // Requests that no longer exist are skipped. After a stop, the inbox reports the reason.
            else if (!inbox.stopped.aborted && !RelayError.is(error, 'not_found')) throw error;
          }
        }
        return undefined;
      });
    },
    events(options = {}) {
      const { signal } = checkOptions(options, 'signal');
      const mailbox = new Mailbox<ExpertEvent>();
      const follow = () =>
        listenUntil(
          signal,
          (error) => mailbox.end(error),
          () => activity.listen((event) => mailbox.push([event])),
        );
      return createIterator(follow, (left) => mailbox.take({ signal: left }));
    },
    async list(options = {}) {
      const heads = await listRequests(api, {
        ...checkOptions(options, 'status limit signal'),
        read: readRow,
      });
      return await Promise.all(heads.map((head) => checkRow({ requestMemory, keys }, head)));
    },
    check: (rows) => checkRows({ requestMemory, keys }, rows),
    markShown: (requestId, messageIds = []) => shownMessages.mark(requestId, messageIds),
    shownBefore: shownMessages.before,
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
      if (!requestId) throw new RelayError('not_found', 'No request has this code: see `list()`.');
      const request = await load(requestId, signal);
      return hasThisCode(request) ? request : unexpected('the request that was asked for');
    },
    async pendingAnswer(requestId) {
      return store && (await loadConversations()).readPendingAnswer(store, requestId);
    },
    async removePendingAnswer(requestId) {
      if (store) await removePending(store, requestId);
    },
    readVault: async (options = {}) => await readVault(api, checkOptions(options, 'signal').signal),
    async writeVault(vault, options = {}) {
      const { replaces, signal } = checkOptions(options, 'replaces signal');
      await writeVault(api, vault, replaces, signal);
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

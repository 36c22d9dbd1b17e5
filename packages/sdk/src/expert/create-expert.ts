import { checkOptions } from '../check-options.ts';
import { createClient } from '../client.ts';
import { openExpert } from '../crypto/index.ts';
import { refusal } from '../crypto/refusal.ts';
import { RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import { Follower } from '../thread/follower.ts';
import { handOut } from '../thread/hand-out.ts';
import { isOutage } from '../thread/looker.ts';
import { Mailbox } from '../thread/mailbox.ts';
import type { Head } from '../thread/page.ts';
import { Sender } from '../thread/sender.ts';
import { Thread } from '../thread/thread.ts';
import { abortedError, onAbort } from '../transport/aborted.ts';
import { listRequests } from '../transport/list-requests.ts';
import { isRequestId, requestId as readRequestId } from '../transport/request-shape.ts';
import { members, unexpected } from '../transport/shape.ts';
import { Activity } from './activity.ts';
import type { Expert, ExpertEvent, ExpertOptions } from './expert.ts';
import type { ExpertRequest } from './expert-request.ts';
import { ExpertSide } from './expert-side.ts';
import { Inbox } from './inbox.ts';
import { Requested } from './requested.ts';

/**
 * Connects an expert to the relay. Nothing is called or kept open before something is asked for.
 *
 * @example
 * const expert = createExpert({ url: 'https://relay.example', apiKey: 'hs_prov_...', root });
 * for await (const request of expert.requests()) {
 *   await request.answer(`You asked: ${request.question}`);
 * }
 */
export function createExpert(options: ExpertOptions): Expert {
  const { root } = options;
  const activity = new Activity(() => client.hub);
  const client = createClient(options, 'root', 'expert', activity.onEvent);
  const { api, hub, memory } = client;
  const followers = new Set<Follower>();
  const stops = new Set<(error: RelayError) => void>();
  let opened: ReturnType<typeof openExpert> | undefined;

  async function keys() {
    if (root) opened ??= openExpert(root);
    return await opened;
  }

  async function load(requestId: string, signal: AbortSignal | undefined): Promise<ExpertRequest> {
    const expert = await keys();
    const side = new ExpertSide({ requestId, expert, memory });
    await side.recall();
    const hasDrafts = () => sender.hasDrafts;
    const thread = new Thread({ api, requestId, side, hasDrafts });
    const isPlain = () => !side.isEncrypted;
    const save = async () => {
      if (!sender.state.outgoing) await side.keep(thread.state.channel?.ends);
    };
    const sender: Sender = new Sender({ api, thread, isPlain, save });
    const listen = (look: () => void) => {
      followers.add(follower);
      const unlisten = activity.listen((event) => {
        if (event.type === 'unknown' || event.requestId === requestId) look();
      });
      look();
      return () => {
        followers.delete(follower);
        unlisten();
      };
    };
    const follower: Follower = new Follower({ thread, sender, listen, backoff: api.backoff });
    // A request whose messages are refused can be looked at all the same.
    await thread.read(signal).catch((error: unknown) => {
      if (!thread.head) throw error;
    });
    const request = thread.head as Head;
    // People look at a question and answer it later by its code, which must not lead to another question meanwhile.
    const { refCode } = request;
    if ((await memory.remember(`code:${plainCode(refCode)}`, requestId)) !== requestId) {
      throw refusal('question_altered', `${refCode} now stands for another request.`);
    }
    return new Requested({ api, thread, sender, follower, request }, { side, hasRoot: root !== undefined });
  }

  /** Ends something when the signal aborts or the client is stopped. Gives what ends it by hand. */
  function until(
    signal: AbortSignal | undefined,
    unlisten: () => void,
    stop: (error: RelayError) => void,
  ): () => void {
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
      const inbox = new Inbox(api, load);
      const follow = () => {
        const unlisten = activity.listen((event) => {
          if (event.type === 'new_request') inbox.add(event.requestId);
          else if (event.type === 'unknown') inbox.look();
        });
        inbox.look();
        return until(signal, unlisten, (error) => inbox.stop(error));
      };
      return handOut({ follow }, async (left) => {
        for (let id = await inbox.take(left); id !== undefined; id = await inbox.take(left)) {
          try {
            const request = await load(id, inbox.stopped);
            if (!hasEnded(request)) return request;
          } catch (error) {
            if (isOutage(error)) inbox.putOff(id);
            // What is gone meanwhile is no matter; why all this was stopped, the inbox says.
            else if (!inbox.stopped.aborted && !isGone(error)) throw error;
          }
        }
        return undefined;
      });
    },
    events(options = {}) {
      const { signal } = checkOptions(options, 'signal');
      const mailbox = new Mailbox<ExpertEvent>();
      const follow = () => {
        const unlisten = activity.listen((event) => mailbox.push([event]));
        return until(signal, unlisten, (error) => mailbox.end(error));
      };
      return handOut({ follow }, (left) => mailbox.take({ signal: left }));
    },
    list: async (options = {}) => await listRequests(api, checkOptions(options, 'status signal')),
    async request(requestIdOrRefCode, options = {}) {
      const { signal } = checkOptions(options, 'signal');
      if (isRequestId(requestIdOrRefCode)) return await load(requestIdOrRefCode, signal);
      const path = `/api/v1/requests/by-ref/${encodeURIComponent(requestIdOrRefCode)}`;
      const request = await load(
        await api.get(path, (answer) => readRequestId(members(answer)), signal),
        signal,
      );
      if (plainCode(request.refCode) === plainCode(requestIdOrRefCode)) return request;
      return unexpected('the request that was asked for');
    },
    whoami: async (options = {}) => await client.whoami(checkOptions(options, 'signal').signal),
    stop() {
      for (const follower of [...followers]) follower.stop(stopped());
      for (const stop of [...stops]) stop(stopped());
      hub.stop();
    },
  };
}

const isGone = (error: unknown) => error instanceof RelayError && error.code === 'not_found';

/** People write it in any case, without `HS-`, and with letters for 0 and 1. */
const plainCode = (refCode: string): string =>
  refCode.toUpperCase().replace(/^HS-/, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');

const stopped = () => new RelayError('aborted', 'The client was stopped. Make a new one to go on.');

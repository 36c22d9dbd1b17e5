import { createClient } from '../client.ts';
import { openExpert } from '../crypto/index.ts';
import { RelayError } from '../relay-error.ts';
import { Follower } from '../thread/follower.ts';
import { handOut } from '../thread/hand-out.ts';
import { isOutage } from '../thread/looker.ts';
import type { Head } from '../thread/page.ts';
import { Sender } from '../thread/sender.ts';
import { Thread } from '../thread/thread.ts';
import { abortedError, onAbort } from '../transport/aborted.ts';
import { isRequestId, requestId as readRequestId } from '../transport/request-shape.ts';
import { members, unexpected } from '../transport/shape.ts';
import { Activity } from './activity.ts';
import type { Expert, ExpertOptions } from './expert.ts';
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
  const activity = new Activity(() => client);
  const client = createClient(options, 'expert', activity.onEvent);
  const { api, hub, memory } = client;
  const followers = new Set<Follower>();
  const inboxes = new Set<Inbox>();
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
    const sender: Sender = new Sender({ api, thread, isPlain, save: async () => {} });
    const listen = (look: () => void) => {
      followers.add(follower);
      const unlisten = activity.listenTo(requestId, look);
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
    return new Requested(
      { api, thread, sender, follower, request: thread.head as Head },
      { side, hasRoot: root !== undefined },
    );
  }

  return {
    fingerprint: async () => (await keys())?.fingerprint,
    requests({ signal } = {}) {
      const inbox = new Inbox(api, load);
      const follow = () => {
        inboxes.add(inbox);
        const unlisten = activity.listenToAll(inbox);
        const release = onAbort(signal, () => inbox.stop(abortedError(signal as AbortSignal)));
        inbox.look();
        return () => {
          inboxes.delete(inbox);
          unlisten();
          release();
          inbox.stop(stopped());
        };
      };
      return handOut({ follow }, async (left) => {
        for (let id = await inbox.take(left); id !== undefined; id = await inbox.take(left)) {
          try {
            const request = await load(id, inbox.stopped);
            if (request.status === 'pending' || request.status === 'responded') return request;
          } catch (error) {
            if (isOutage(error)) inbox.putOff(id);
            // What is gone meanwhile is no matter; why all this was stopped, the inbox says.
            else if (!inbox.stopped.aborted && !isGone(error)) throw error;
          }
        }
        return undefined;
      });
    },
    async request(requestIdOrRefCode, { signal } = {}) {
      if (isRequestId(requestIdOrRefCode)) return await load(requestIdOrRefCode, signal);
      const path = `/api/v1/requests/by-ref/${encodeURIComponent(requestIdOrRefCode)}`;
      const request = await load(
        await api.get(path, (answer) => readRequestId(members(answer)), signal),
        signal,
      );
      if (plainCode(request.refCode) === plainCode(requestIdOrRefCode)) return request;
      return unexpected('the request that was asked for');
    },
    whoami: ({ signal } = {}) => client.whoami(signal),
    stop() {
      for (const follower of [...followers]) follower.stop(stopped());
      for (const inbox of [...inboxes]) inbox.stop(stopped());
      hub.stop();
    },
  };
}

const isGone = (error: unknown) => error instanceof RelayError && error.code === 'not_found';

/** People write it in any case, without `HS-`, and with letters for 0 and 1. */
const plainCode = (refCode: string): string =>
  refCode.toUpperCase().replace(/^HS-/, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');

const stopped = () => new RelayError('aborted', 'The client was stopped. Make a new one to go on.');

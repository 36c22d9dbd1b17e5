import type { Client } from '../client.ts';
import type { ExpertKeys } from '../crypto/expert-keys.ts';
import type { RelayError } from '../relay-error.ts';
import type { Store } from '../store.ts';
import { createFollower, type Follower } from '../thread/follower.ts';
import { oneAtATime } from '../thread/one-at-a-time.ts';
import type { Head } from '../thread/page.ts';
import { Sender } from '../thread/sender.ts';
import { Thread } from '../thread/thread.ts';
import type { Activity } from './activity.ts';
import { describePending } from './describe-pending.ts';
import { ExpertConversation } from './expert-conversation.ts';
import type { ExpertRequest, PendingAnswer } from './expert-request.ts';
import { ExpertSide } from './expert-side.ts';
import { createPendingStore, readPending } from './pending-store.ts';
import type { RequestMemory } from './request-memory.ts';

export { DueRequests } from './due-requests.ts';

/** What a conversation needs of the client that opens it. */
export interface Connection {
  readonly client: Client;
  readonly activity: Activity;
  readonly requestMemory: RequestMemory;
  readonly expert: ExpertKeys | undefined;
  /** Where a signed-in expert's answers stand until they are sent. */
  readonly store: Store | undefined;
  /** The requests of this client with a loop over their messages. */
  readonly looped: ExpertRequest[];
  /** Undefined when the client was stopped before: then `stop` was called. */
  stopWith(stop: (error: RelayError) => void): (() => void) | undefined;
}

/** Reads a request with its messages. */
export async function loadRequest(
  { client, activity, requestMemory, expert, store, looped, stopWith }: Connection,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<ExpertRequest> {
  const { api } = client;
  const side = new ExpertSide({ requestId, expert, requestMemory });
  const outbox = store && createPendingStore(store, requestId);
  const { drafts } = (await outbox?.read()) ?? { drafts: [] };
  const hasDrafts = () => sender.texts.hasDrafts;
  const thread = new Thread({ api, requestId, side, hasDrafts });
  const isPlain = () => !side.isEncrypted;
  const save = async () => {
    if (!sender.texts.outgoing) await side.rememberEnds(thread.state.channel);
  };
  const prepare = async (aborted: AbortSignal | undefined) => {
    const isNew = side.isEncrypted && !side.isPickedUp;
    if (isNew) await requested.pickUp({ signal: aborted });
    // New messages of other devices are read before this one is sent.
    if (await side.hasUnread(thread.state.channel)) await thread.read(aborted);
    else if (!isNew) await thread.readIfStale(aborted);
  };
  const state = { drafts, outgoing: undefined };
  const decisionLastsMs = client.timing.decisionMs;
  const sender = new Sender({ api, thread, isPlain, prepare, save, outbox, state, decisionLastsMs });
  const listen = (refresh: () => void) => {
    const forget = stopWith((error) => follower.stop(error));
    if (!forget) return () => {};
    const unlisten = activity.listen((event) => {
      if (event.type === 'unknown' || event.requestId === requestId) refresh();
    });
    refresh();
    return () => {
      forget();
      unlisten();
    };
  };
  const follower: Follower = createFollower({ thread, sender, listen, backoff: api.backoff });
  // A request whose messages are refused can still be shown, but no question that was not compared.
  await thread.read(signal).catch((error: unknown) => {
    if (!side.question && !thread.refusal) throw error;
  });
  const request = thread.head as Head;
  // The list may show that some of them were sent.
  if (drafts.length > 0) await sender.saveUnsent();
  const send: Sender['send'] = store ? oneAtATime(sender) : (...texts) => sender.send(...texts);
  const requested = new ExpertConversation(
    { api, thread, sender, follower, request },
    { side, send, partsMs: client.timing.partsMs, looped },
  );
  return requested;
}

/** The answer that was not sent, as it stands in the store. It makes no call: the request need not exist any more. */
export async function readPendingAnswer(store: Store, requestId: string): Promise<PendingAnswer | undefined> {
  const draft = await readPending(store, requestId);
  return draft && describePending(draft, draft.code === undefined ? 'held' : 'refused');
}

import type { Follower } from '../thread/follower.ts';
import { isOutage, Refresher } from '../thread/refresher.ts';
import type { Sender } from '../thread/sender.ts';
import type { Thread } from '../thread/thread.ts';
import type { Api } from '../transport/api.ts';
import { listOpen, listRequests } from '../transport/requests.ts';
import type { Members } from '../transport/shape.ts';
import { pause, startTimer } from '../transport/waiting.ts';
import type { AgentSide } from './agent-side.ts';

/** A conversation that a caller waits for. */
export interface FollowedConversation {
  readonly topic: string;
  readonly thread: Thread;
  readonly sender: Sender;
  readonly side: Pick<AgentSide, 'notePickUp'>;
  readonly follower: Follower;
  readonly refCode: string;
  refresh(): void;
}

/** A text that waits for the keys is sent this time after them: an answer of a program is read together with them. */
const keysToAnswerMs = 50;
/** Conversations are collected for this time before it is decided which ones are read. */
const gatherMs = 1;
/** Reading this number of conversations costs less than a call that says which ones have news. */
const readAllUpTo = 3;

/**
 * Decides which conversations are read. When many may have news, the list of requests shows by the number of answers
 * which ones do. That is one call instead of one for each conversation.
 */
export function createReadScheduler(api: () => Api, followed: ReadonlySet<FollowedConversation>) {
  /** Conversations that may have missed events. */
  let unsure = new Set<FollowedConversation>();
  /** Whether one of the followed conversations was answered. */
  let isAnswered = false;
  let refresher: Refresher | undefined;

  async function schedule(signal: AbortSignal): Promise<void> {
    await pause(gatherMs, signal);
    const [checked, isEvent] = [unsure, isAnswered];
    [unsure, isAnswered] = [new Set(), false];
    const candidates = [...(isEvent ? followed : checked)];
    if (candidates.length <= readAllUpTo) {
      for (const one of candidates) one.refresh();
      return;
    }
    const counts = await countAnswers(checked.size > 0, signal).catch((error: unknown) => {
      if (!isOutage(error)) return undefined;
      unsure = new Set([...checked, ...unsure]);
      isAnswered ||= isEvent;
      throw error;
    });
    for (const one of candidates) {
      const isChecked = checked.has(one);
      // One that is in no list has ended. The list does not show keys, for which unsent texts wait.
      const count = counts?.get(one.thread.requestId) ?? (isChecked ? -1 : 0);
      const hasNews = count !== one.thread.answersRead || (isChecked && one.sender.texts.all.length > 0);
      // Without a list, any of them may have news.
      if (!counts || hasNews) one.refresh();
    }
  }

  async function countAnswers(all: boolean, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    // After an event only answers matter: the event of an end names its conversation.
    const requests = all
      ? await listOpen(api(), signal)
      : await listRequests(api(), { status: 'responded', signal });
    return new Map(requests.map(({ requestId, responseCount }) => [requestId, responseCount]));
  }

  function start(): void {
    refresher ??= new Refresher({ backoff: api().backoff, run: schedule, report() {} });
    refresher.refresh();
  }

  return {
    /** Reads a conversation, unless the list shows that it has no new answers. */
    check(one: FollowedConversation): void {
      unsure.add(one);
      start();
    },
    /** Only `key_exchange` and `request_closed` have a `refCode`. A `new_message` may be about any topic of the stream. */
    onEvent(event: Members, topics: ReadonlySet<string>): void {
      // A message of this side, maybe from another process with this key. It is read together with the next answer.
      if (event.role === 'consumer') return;
      const candidates = [...followed].filter(({ topic }) => topics.has(topic));
      const named = candidates.filter(({ refCode }) => refCode === event.refCode);
      if (named.length > 0 || candidates.length <= readAllUpTo) {
        const concerned = named.length > 0 ? named : candidates;
        if (event.type === 'key_exchange') for (const one of concerned) notePickUp(one);
        else for (const one of concerned) one.refresh();
        return;
      }
      isAnswered = true;
      start();
    },
    stop(): void {
      refresher?.stop();
      refresher = undefined;
    },
  };
}

/** Keys for which no text waits are read, and checked, together with the answer. */
function notePickUp({ side, sender, thread, refresh }: FollowedConversation): void {
  side.notePickUp();
  if (sender.texts.all.length === 0) return;
  // A read since the pick-up has the keys.
  startTimer(keysToAnswerMs, () => thread.head?.providerKeys === undefined && refresh());
}

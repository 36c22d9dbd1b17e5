import type { Follower } from '../thread/follower.ts';
import { createLooker, isOutage, type Looker } from '../thread/looker.ts';
import type { Sender } from '../thread/sender.ts';
import type { Thread } from '../thread/thread.ts';
import type { Api } from '../transport/api.ts';
import { listOpen, listRequests } from '../transport/list-requests.ts';
import { pause } from '../transport/pause.ts';
import type { Members } from '../transport/shape.ts';
import { startTimer } from '../transport/timer.ts';

/** A conversation that is waited for. */
export interface Awaited {
  readonly topic: string;
  readonly thread: Thread;
  readonly sender: Sender;
  readonly follower: Follower;
  readonly refCode: string;
  look(): void;
}

/** How soon an answer follows the keys, when a program gives it. */
const keysToAnswerMs = 50;
/** Conversations are gathered so long before it is decided how to look at them. */
const gatherMs = 1;
/** Reading so many is less than finding out which. */
const few = 3;

/**
 * Decides which conversations are read. When many may have news, the list of requests tells by the number of answers
 * which do: one call instead of one for each conversation.
 */
export function createSorter(api: () => Api, awaited: ReadonlySet<Awaited>) {
  /** Conversations of which it is not known whether something has happened. */
  let unsure = new Set<Awaited>();
  /** Whether one of them was answered. */
  let isAnswered = false;
  let looker: Looker | undefined;

  async function sort(signal: AbortSignal): Promise<void> {
    await pause(gatherMs, signal);
    const [checked, isEvent] = [unsure, isAnswered];
    [unsure, isAnswered] = [new Set(), false];
    const candidates = [...(isEvent ? awaited : checked)];
    if (candidates.length <= few) {
      for (const one of candidates) one.look();
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
      // One that is in neither list has ended. Keys, which let texts go out, show in no list.
      const count = counts?.get(one.thread.requestId) ?? (isChecked ? -1 : 0);
      if (count !== one.thread.answersRead || (isChecked && one.sender.unsent.length > 0)) one.look();
    }
  }

  async function countAnswers(all: boolean, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    // After an event, only answers matter: an end has an event of its own, which names the conversation.
    const requests = all
      ? await listOpen(api(), signal)
      : await listRequests(api(), { status: 'responded', signal });
    return new Map(requests.map(({ requestId, responseCount }) => [requestId, responseCount]));
  }

  function start(): void {
    looker ??= createLooker({ backoff: api().backoff, look: sort, tell() {} });
    looker.look();
  }

  return {
    /** Reads a conversation, unless the list shows that it has no news. */
    check(one: Awaited): void {
      unsure.add(one);
      start();
    },
    /** A `new_message` does not say which conversation it is about: on a stream of many topics it could be any. */
    onEvent(event: Members, topics: ReadonlySet<string>): void {
      // Our own message, or that of another process with our key: the next answer brings it along.
      if (event.role === 'consumer') return;
      const candidates = [...awaited].filter(({ topic }) => topics.has(topic));
      const named = candidates.filter(({ refCode }) => refCode === event.refCode);
      if (named.length > 0 || candidates.length <= few) {
        // Who answers at once has exchanged keys just before: one look finds both.
        for (const one of named.length > 0 ? named : candidates) {
          if (event.type === 'key_exchange') startTimer(keysToAnswerMs, () => one.look());
          else one.look();
        }
        return;
      }
      isAnswered = true;
      start();
    },
    stop(): void {
      looker?.stop();
      looker = undefined;
    },
  };
}

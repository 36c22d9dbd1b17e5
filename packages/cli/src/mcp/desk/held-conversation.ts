import { type Conversation, RelayError } from '@expert-relay/sdk';
import type { Journal } from '../../relay/journal.ts';
import type { Outages } from '../../relay/outages.ts';
import { ownEntry } from '../../relay/own-entry.ts';
import { type Entry, isEarly } from '../../store/conversations.ts';
import { saysItIsOver } from '../words/is-over.ts';
import { within } from './within.ts';

/** Answers on their way to the agent. One of the two is called in the end. */
export interface HandedAnswers {
  readonly entries: readonly Entry[];
  /** The agent has them: they are not given again. */
  delivered(): void;
  /** They did not get there: whoever asks next gets them. */
  putBack(): void;
}

/** A conversation that this process alone goes on with. */
export interface HeldConversation {
  readonly conversation: Conversation;
  /**
   * Waits for what was not given yet: with `any` all of it, else what had seen the last message. Gives up at the
   * signal, or when another one begins to wait.
   */
  nextAnswers(options: { signal: AbortSignal; any?: boolean }): Promise<HandedAnswers | undefined>;
  /** Why the last wait could not have heard of an answer; undefined when the relay answered. */
  readonly outage: string | undefined;
  /** Says whether it has gone out. If not, it will by itself. */
  reply(text: string, signal: AbortSignal): Promise<boolean>;
  /** Reads on until an answer is there; what could not go out before goes out meanwhile. */
  readOn(): Promise<void>;
}

export interface Holding {
  conversation: Conversation;
  journal: Journal;
  /** Aborted once the conversation is held no more. */
  life: AbortSignal;
  now: () => number;
  outages: Outages;
}

/** A call that takes longer than this is not answered. */
const silentAfterMs = 3_000;

export function holdConversation({ conversation, journal, life, now, outages }: Holding): HeldConversation {
  const { id } = conversation;
  let reading: Promise<void> | undefined;
  let waiter = new AbortController();
  let handing: Promise<void> = Promise.resolve();
  let isReached = false;
  let waitingSince = 0;

  function readOn(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function read(): Promise<void> {
    const answer = await conversation.waitForAnswer({ signal: life, any: true });
    // What is given right now is marked as such before anything new is noted.
    await handing;
    // Held no more: the relay still has it for whoever goes on.
    if (!life.aborted) journal.add(conversation, { role: 'provider', ...answer });
  }

  /** Finds out whether the relay answers: a wait that ends without an answer says nothing about that. */
  async function reach(): Promise<void> {
    isReached = false;
    waitingSince = performance.now();
    try {
      await conversation.refresh({ signal: life });
    } catch (error) {
      // Every other failure is an answer of the relay, and comes to the reader as well.
      const isAway =
        error instanceof RelayError && ['unreachable', 'rate_limited', 'aborted'].includes(error.code);
      if (isAway || life.aborted) return;
    }
    isReached = true;
    outages.onOutage(undefined);
  }

  function handOver(entries: readonly Entry[]): HandedAnswers {
    let putBack = () => {};
    handing = new Promise((resolve) => {
      putBack = resolve;
    });
    return {
      entries,
      putBack,
      delivered() {
        journal.markDelivered(id, entries);
        putBack();
      },
    };
  }

  return {
    conversation,
    readOn,
    get outage() {
      if (outages.current) return outages.current;
      // A wait that has just begun, or was ended by another one, shows nothing.
      const isSilent = !isReached && performance.now() - waitingSince > silentAfterMs;
      return isSilent ? 'The relay does not answer.' : undefined;
    },
    async nextAnswers({ signal, any = false }) {
      const fitting = () => journal.undelivered(id).filter((one) => any || !isEarly(one));
      waiter.abort();
      waiter = new AbortController();
      const either = AbortSignal.any([signal, waiter.signal]);
      try {
        await within(handing, either);
        if (fitting().length === 0) void reach();
        while (fitting().length === 0) await within(readOn(), either);
      } catch (error) {
        if (either.aborted) return undefined;
        throw error;
      }
      return either.aborted ? undefined : handOver(fitting());
    },
    async reply(text, signal) {
      const unseeing = journal.undelivered(id);
      let messageId: string | undefined;
      let isSent = false;
      try {
        ({ messageId, isSent } = await conversation.send(text, { signal }));
      } catch (error) {
        if (saysItIsOver(error) || !conversation.unsent.includes(text)) throw error;
      }
      const { isEncrypted } = conversation;
      journal.add(conversation, ownEntry({ text, isEncrypted, messageId, now: now() }), unseeing);
      return isSent;
    },
  };
}

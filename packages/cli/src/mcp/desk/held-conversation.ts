import type { Conversation } from '@expert-relay/sdk';
import type { Journal } from '../../relay/journal.ts';
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
}

export function holdConversation({ conversation, journal, life, now }: Holding): HeldConversation {
  const { id } = conversation;
  let reading: Promise<void> | undefined;
  let waiter = new AbortController();
  let handing: Promise<void> = Promise.resolve();

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
    async nextAnswers({ signal, any = false }) {
      const fitting = () => journal.undelivered(id).filter((one) => any || !isEarly(one));
      waiter.abort();
      waiter = new AbortController();
      const either = AbortSignal.any([signal, waiter.signal]);
      try {
        await within(handing, either);
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

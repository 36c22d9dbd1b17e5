import type { Question } from '@expert-relay/sdk';
import { readRefCode } from '../../arguments/read-ref-code.ts';
import { explainError, isNotAsked } from '../../explain-error.ts';
import { Failure } from '../../failure.ts';
import type { Agent } from '../../relay/open-agent.ts';
import type { KeptConversation } from '../../store/conversations.ts';
import { AskFailure } from './ask-failure.ts';
import type { HeldConversation } from './held-conversation.ts';
import { askHold, type Hold, resumeHold } from './open-hold.ts';
import { within } from './within.ts';

/** The call that a conversation is used for. */
export interface Use {
  readonly signal: AbortSignal;
  /** Until this has come, the conversation is held: what the call gave may have to be put back. */
  readonly sent: Promise<boolean>;
}

type Work<T> = (held: HeldConversation) => T | Promise<T>;

/**
 * The conversations that tools work on. One is held while a call uses it, and while something in it has not gone
 * out; else it rests in its file, where other commands and other servers can go on with it.
 */
export interface Desk {
  ask<T>(question: Question, use: Use, work: Work<T>): Promise<T>;
  /** By its reference code, or by its id while it has no code. */
  use<T>(reference: string, use: Use, work: Work<T>): Promise<T>;
  /** What is kept of one: what was said, and how many answers were given. */
  read(reference: string): KeptConversation;
  /** All that were asked, oldest first; at the end those of which it is not known whether the relay has taken them. */
  list(): KeptConversation[];
  /** What is wrong with the relay now, in words. */
  readonly outage: string | undefined;
  stop(): void;
}

export function createDesk({ openAgent, now }: { openAgent: () => Agent; now: () => number }): Desk {
  const holds = new Map<string, Hold>();
  /** Questions on their way, by the name under which they are asked. */
  const asking = new Map<string, Promise<void>>();
  let agent: Agent | undefined;
  // At the first use: a server without settings starts all the same, and its tools say what is missing.
  const open = (): Agent => {
    agent ??= openAgent();
    return agent;
  };

  async function work<T>(id: string, hold: Hold, { signal, sent }: Use, run: Work<T>): Promise<T> {
    hold.users += 1;
    let held: HeldConversation | undefined;
    try {
      held = await within(hold.opened, signal);
      return await run(held);
    } finally {
      void sent.then(() => leave(id, hold, held));
    }
  }

  function leave(id: string, hold: Hold, held: HeldConversation | undefined): void {
    hold.users -= 1;
    const end = () => {
      if (hold.users > 0 || holds.get(id) !== hold) return;
      holds.delete(id);
      hold.letGo();
    };
    if (held && held.conversation.unsent.length > 0) held.readOn().then(end, end);
    else end();
  }

  function read(reference: string): KeptConversation {
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference);
    const name = isId ? reference : readRefCode(reference);
    const kept = open().conversations.find(name);
    if (!kept)
      throw new Failure('unknown', `No conversation ${name} with this relay is kept on this machine.`);
    return kept;
  }

  function useKept<T>(kept: KeptConversation, use: Use, run: Work<T>): Promise<T> {
    const { id } = kept.state;
    const hold = holds.get(id) ?? resumeHold({ agent: open(), now }, kept);
    holds.set(id, hold);
    return work(id, hold, use, run);
  }

  return {
    read,
    async ask(question, use, run) {
      const { idempotencyKey: name } = question;
      if (name !== undefined) {
        for (let other = asking.get(name); other; other = asking.get(name)) await within(other, use.signal);
        const kept = open()
          .conversations.all()
          .find(({ askedAs }) => askedAs === name);
        if (kept) return await useKept(checkSame(kept, question), use, run);
      }
      let id = '';
      const hold = askHold({ agent: open(), now }, question, (name) => {
        id = name;
      });
      const opened = within(hold.opened, use.signal);
      if (name !== undefined) {
        const over = () => void asking.delete(name);
        asking.set(name, opened.then(over, over));
      }
      try {
        await opened;
      } catch (error) {
        hold.letGo();
        const failure = explainError(error, use.signal);
        // A question under the code of another one cannot go on either.
        const isOver = isNotAsked(failure) || failure.code === 'question_altered';
        if (id !== '' && isOver) open().conversations.forget(id);
        throw id === '' ? error : new AskFailure(id, error);
      }
      holds.set(id, hold);
      return work(id, hold, use, run);
    },
    use: async (reference, use, run) => useKept(read(reference), use, run),
    list: () => {
      const asked = open().conversations.all();
      const endOf = ({ state }: KeptConversation) => state.request?.expiresAt ?? '9';
      return asked.sort((one, other) => endOf(one).localeCompare(endOf(other)));
    },
    get outage() {
      return agent?.outages.current;
    },
    stop() {
      agent?.outages.stop();
      for (const hold of holds.values()) hold.letGo();
      holds.clear();
    },
  };
}

/** A name stands for one question. */
function checkSame(kept: KeptConversation, { question = '' }: Question): KeptConversation {
  const { entries, state } = kept;
  if (entries[0]?.text === question) return kept;
  throw new Failure(
    'usage',
    `This idempotency_key was used for another question, ${state.request?.refCode ?? state.id}. Ask under another one.`,
  );
}

import type { Conversation, Question, Relay } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { Failure } from '../../failure.ts';
import type { FileContent } from '../../files/file-to-send.ts';
import type { Agent } from '../../relay/open-agent.ts';
import type { StoredConversation } from '../../store/conversations.ts';
import { Journal, ownEntry } from '../../store/journal.ts';
import { LeasedConversation, type ReturnedAnswers } from './leased-conversation.ts';

/** A conversation that calls of this process use. `users` counts the calls. */
export interface Lease {
  /** Of the conversation. Undefined until a new question is stored, which is before it is sent. */
  readonly id: string | undefined;
  users: number;
  readonly opened: Promise<LeasedConversation>;
  release(): Promise<void>;
}

export interface LeaseContext {
  readonly agent: Agent;
  readonly now: () => number;
  readonly returned: ReturnedAnswers;
}

/** Leases a stored conversation. */
export function leaseStored(options: LeaseContext, { state }: StoredConversation): Lease {
  const journal = new Journal(options.agent.conversations);
  const open = async (relay: Relay, signal: AbortSignal) => {
    const stored = await journal.lock(state);
    return await relay.resume(stored.state, { signal });
  };
  return openLease(options, journal, open, state.id);
}

/** A question, with the files that were read for it. */
export interface QuestionWithFiles extends Question {
  readonly form?: Form | undefined;
  readonly files?: readonly FileContent[] | undefined;
}

/** Starts a new conversation. */
export function leaseNew(options: LeaseContext, question: QuestionWithFiles): Lease {
  const { question: text = '', confidential: isEncrypted = false } = question;
  const { form, files, messages } = question;
  const entries = [ownEntry({ text, isEncrypted, form, files, now: options.now() })];
  const journal = new Journal(options.agent.conversations, {
    entries,
    context: messages && [...messages],
  });
  return openLease(options, journal, async (relay, signal) => {
    const conversation = await relay.ask({ ...question, signal });
    // Another process may have asked under this name meanwhile: then nothing was saved here.
    await journal.lock(conversation.export());
    return conversation;
  });
}

function openLease(
  { agent, now, returned }: LeaseContext,
  journal: Journal,
  open: (relay: Relay, signal: AbortSignal) => Promise<Conversation>,
  knownId?: string,
): Lease {
  const life = new AbortController();
  let id = knownId;
  // Each lease has its own client, so that its end closes only its own streams.
  const relay = agent.connect(async (state) => {
    if (life.signal.aborted)
      throw new Failure('state', 'This conversation was released in the meantime. Make the same call again.');
    await journal.save(state);
    id = state.id;
  });
  const { outages } = agent;
  const opened = open(relay, life.signal).then(
    (conversation) =>
      new LeasedConversation({ conversation, journal, life: life.signal, now, outages, returned }),
  );
  // The caller may have stopped waiting. Others who wait for `opened` still get its error.
  opened.catch(() => {});
  return {
    get id() {
      return id;
    },
    users: 0,
    opened,
    async release() {
      life.abort();
      relay.stop();
      await journal.release();
    },
  };
}

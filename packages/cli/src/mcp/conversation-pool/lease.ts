import type { Conversation, Question, Relay } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { Failure } from '../../failure.ts';
import type { FileContent } from '../../files/file-to-send.ts';
import { type Journal, openJournal, ownEntry } from '../../relay/journal.ts';
import type { Agent } from '../../relay/open-agent.ts';
import type { StoredConversation } from '../../store/conversations.ts';
import { type LeasedConversation, leaseConversation, type ReturnedAnswers } from './leased-conversation.ts';

/** A conversation that calls of this process use. `users` counts the calls. */
export interface Lease {
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
  const journal = openJournal(options.agent.conversations);
  return openLease(options, journal, async (relay, signal) => {
    const stored = await journal.lock(state);
    return await relay.resume(stored.state, { signal });
  });
}

/** A question, with the files that were read for it. */
export interface QuestionWithFiles extends Question {
  readonly form?: Form | undefined;
  readonly files?: readonly FileContent[] | undefined;
}

/** Starts a new conversation. `onId` gets its id before the question is sent. */
export function leaseNew(
  options: LeaseContext,
  question: QuestionWithFiles,
  onId: (id: string) => void,
): Lease {
  const { question: text = '', confidential: isEncrypted = false } = question;
  const { form, files, messages } = question;
  const entries = [ownEntry({ text, isEncrypted, form, files, now: options.now() })];
  const journal = openJournal(options.agent.conversations, {
    entries,
    context: messages && [...messages],
  });
  return openLease(options, journal, (relay, signal) => relay.ask({ ...question, signal }), onId);
}

function openLease(
  { agent, now, returned }: LeaseContext,
  journal: Journal,
  begin: (relay: Relay, signal: AbortSignal) => Promise<Conversation>,
  onId: (id: string) => void = () => {},
): Lease {
  const life = new AbortController();
  // Each lease has its own client, so that its end closes only its own streams.
  const relay = agent.connect(async (state) => {
    if (life.signal.aborted)
      throw new Failure('state', 'This conversation was released in the meantime. Make the same call again.');
    await journal.save(state);
    onId(state.id);
  });
  const opened = begin(relay, life.signal).then(async (conversation) => {
    await journal.save(conversation.export());
    const { outages } = agent;
    return leaseConversation({ conversation, journal, life: life.signal, now, outages, returned });
  });
  // The caller may have stopped waiting. Others who wait for `opened` still get its error.
  opened.catch(() => {});
  return {
    users: 0,
    opened,
    async release() {
      life.abort();
      relay.stop();
      await journal.release();
    },
  };
}

import type { Conversation, Question } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
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
export function leaseStored(options: LeaseContext, { state: { id, request } }: StoredConversation): Lease {
  const journal = new Journal(options.agent.conversations);
  const open: Open = async (relay, signal) => {
    await journal.lock(id, request?.refCode);
    return await relay.resume(id, { signal });
  };
  return openLease(options, journal, open, id);
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
  return openLease(options, journal, (relay, signal, onId) => relay.ask({ ...question, signal }, { onId }));
}

type Open = (
  relay: ReturnType<Agent['connect']>,
  signal: AbortSignal,
  onId: (id: string, isNew: boolean) => Promise<void>,
) => Promise<Conversation>;

function openLease(
  { agent, now, returned }: LeaseContext,
  journal: Journal,
  open: Open,
  knownId?: string,
): Lease {
  const life = new AbortController();
  let id = knownId;
  const onId = async (given: string, isNew: boolean) => {
    await journal.lock(given);
    // One that another process has asked is not removed where this fails.
    if (isNew) id = given;
  };
  // Each lease has its own client, so that its end closes only its own streams.
  const relay = agent.connect(journal);
  const { outages } = agent;
  const opened = open(relay, life.signal, onId).then((conversation) => {
    id = conversation.id;
    return new LeasedConversation({ conversation, journal, life: life.signal, now, outages, returned });
  });
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

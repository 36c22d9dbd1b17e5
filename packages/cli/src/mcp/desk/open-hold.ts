import type { Conversation, Question, Relay } from '@expert-relay/sdk';
import { Failure } from '../../failure.ts';
import { type Journal, openJournal } from '../../relay/journal.ts';
import type { Agent } from '../../relay/open-agent.ts';
import { ownEntry } from '../../relay/own-entry.ts';
import type { KeptConversation } from '../../store/conversations.ts';
import { type HeldConversation, holdConversation } from './held-conversation.ts';

/** A conversation in use: by how many calls, and how it is let go. */
export interface Hold {
  users: number;
  readonly opened: Promise<HeldConversation>;
  letGo(): void;
}

export interface Holder {
  readonly agent: Agent;
  readonly now: () => number;
}

/** Goes on with one that was kept. */
export function resumeHold(holder: Holder, { state }: KeptConversation): Hold {
  const journal = openJournal(holder.agent.conversations);
  const kept = journal.hold(state.id);
  return openHold(holder, journal, (relay, signal) => relay.resume(kept.state, { signal }));
}

/** Begins a new one, whose id `onId` learns before the question goes out. */
export function askHold(holder: Holder, question: Question, onId: (id: string) => void): Hold {
  const { question: text = '', confidential: isEncrypted = false, idempotencyKey: askedAs } = question;
  const entries = [ownEntry({ text, isEncrypted, now: holder.now() })];
  const journal = openJournal(holder.agent.conversations, { entries, askedAs });
  return openHold(holder, journal, (relay, signal) => relay.ask({ ...question, signal }), onId);
}

function openHold(
  { agent, now }: Holder,
  journal: Journal,
  begin: (relay: Relay, signal: AbortSignal) => Promise<Conversation>,
  onId: (id: string) => void = () => {},
): Hold {
  const life = new AbortController();
  // A client for each, so that letting go of one conversation ends its streams and no others.
  const relay = agent.connect((state) => {
    if (life.signal.aborted) throw new Failure('state', 'This conversation was let go meanwhile.');
    journal.save(state);
    onId(state.id);
  });
  const opened = begin(relay, life.signal).then((conversation) => {
    journal.save(conversation.export());
    return holdConversation({ conversation, journal, life: life.signal, now, outages: agent.outages });
  });
  // Whoever opened it may have given up; whoever waits for it hears of a failure all the same.
  opened.catch(() => {});
  return {
    users: 0,
    opened,
    letGo() {
      life.abort();
      relay.stop();
      journal.release();
    },
  };
}

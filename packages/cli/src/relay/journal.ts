import type { Answer, ConversationState, Decision, ReceivedFile } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { Failure } from '../failure.ts';
import {
  answersIn,
  type Conversations,
  type DecisionEntry,
  type Entry,
  type StoredConversation,
  type StoredDecision,
  type StoredFile,
} from '../store/conversations.ts';
import { lock } from '../store/lock.ts';

/** Stores the conversations of a running command on this machine: the SDK's state, and the messages. */
export interface Journal {
  /** For the SDK, which calls it before it sends anything. */
  save(state: ConversationState): Promise<void>;
  /** Opens a stored conversation and locks it against other processes. */
  lock(state: ConversationState): Promise<StoredConversation>;
  /** As stored, with messages that were not delivered. */
  read(id: string): Opening;
  /**
   * Adds a message. The answers `earlier` were written before it. Of two entries with the same message, the one with the
   * decision is kept: the SDK may return a decision again.
   */
  add(id: string, entry: Entry, earlier?: readonly Entry[]): Promise<void>;
  /** Answers that were received and not yet delivered. */
  undelivered(id: string): readonly Entry[];
  markDelivered(id: string, answers: readonly Pick<Entry, 'messageId'>[]): Promise<void>;
  /** Notes that all answers that are stored were printed. */
  markShown(id: string): Promise<void>;
  /** The ids of the answers that were printed or delivered: what a further message has seen. */
  shown(id: string): readonly string[];
  /** How old an approval may be, for this command and later ones. */
  limitAge(id: string, validForMs: number | undefined): Promise<void>;
  /** Delivers all answers again, in a later run of the same question. */
  deliverAgain(id: string): Promise<void>;
  /** Unlocks all, once what was begun is written. */
  release(): Promise<void>;
}

/** What a conversation begins with. */
export type Opening = Pick<StoredConversation, 'entries' | 'context' | 'validForMs'>;

export function openJournal(conversations: Conversations, opening: Opening = { entries: [] }): Journal {
  const { inOrder } = conversations;
  const locked = new Map<string, StoredConversation>();
  const releases: (() => void)[] = [];

  async function take(state: ConversationState): Promise<StoredConversation> {
    const { id, request } = state;
    releases.push(lock(conversations.lockPath(id), request?.refCode ?? 'This conversation'));
    // It is read after locking: the process that had the lock may have changed it.
    const found = await conversations.find(id);
    const stored = found ?? { version: 1, ...opening, state };
    // Before the state, without which nothing is sent.
    if (!found) await conversations.write(stored);
    locked.set(id, stored);
    return stored;
  }
  const answers = (id: string): readonly Entry[] => {
    const stored = locked.get(id);
    return stored ? answersIn(stored) : [];
  };
  function change(id: string, changes: Partial<Opening>): Promise<void> {
    const stored = locked.get(id);
    if (!stored) throw new Error('A conversation is written that is not locked.');
    const changed = { ...stored, ...changes };
    locked.set(id, changed);
    return inOrder(() => conversations.write(changed));
  }
  /** The entries, of which these are changed. */
  function alter(id: string, some: readonly Pick<Entry, 'messageId'>[], changes: Partial<Entry>): Entry[] {
    const ids = new Set(some.map(({ messageId }) => messageId));
    const entries = locked.get(id)?.entries ?? [];
    return entries.map((one) =>
      one.from === 'expert' && ids.has(one.messageId) ? { ...one, ...changes } : one,
    );
  }
  return {
    save: (state) =>
      inOrder(async () => {
        const { id, request } = state;
        const before = locked.get(id) ?? (await take(state));
        const isNew = before.state.request === undefined;
        if (request && isNew && (await conversations.isTaken(request.refCode, id)))
          throw codeTaken(request.refCode);
        await conversations.writeState(state);
        locked.set(id, { ...(locked.get(id) ?? before), state });
      }),
    lock: (state) => inOrder(() => take(state)),
    read: (id) => locked.get(id) ?? { entries: [] },
    async add(id, entry, earlier = []) {
      const entries = alter(id, earlier, { seenYourLast: false });
      const at = entries.findIndex((one) => isSame(one, entry));
      if (at < 0) entries.push(entry);
      else if (entry.decision) entries[at] = { ...entries[at], ...entry, isUncounted: undefined };
      await change(id, { entries });
    },
    undelivered: (id) => answers(id).filter(({ isDelivered }) => !isDelivered),
    markDelivered: (id, some) => change(id, { entries: alter(id, some, { isDelivered: true }) }),
    markShown: (id) => change(id, { entries: alter(id, answers(id), { isShown: true }) }),
    shown: (id) =>
      answers(id).flatMap(({ messageId, isDelivered, isShown }) =>
        messageId !== undefined && (isDelivered || isShown) ? messageId : [],
      ),
    limitAge: (id, validForMs) => change(id, { validForMs }),
    deliverAgain: (id) =>
      change(id, { entries: alter(id, answers(id), { isDelivered: false, isShown: true }) }),
    release: () =>
      inOrder(async () => {
        for (const release of releases.splice(0)) release();
      }),
  };
}

const isSame = (one: Entry, { from, messageId }: Entry): boolean =>
  from === 'expert' && one.from === from && one.messageId === messageId;

/** With this code, the answer to the other question would look like the answer to this one. */
const codeTaken = (refCode: string) =>
  new Failure(
    'untrusted',
    `The relay gave this question the reference code of another one, ${refCode}. Do not trust this relay before you know why.`,
    { reason: 'question_altered' },
  );

interface OwnMessage {
  text: string;
  isEncrypted: boolean;
  messageId?: string | undefined;
  form?: Form | undefined;
  files?: readonly Pick<StoredFile, 'name' | 'mediaType'>[] | undefined;
  now: number;
}

/** A message of the agent as it is stored. */
export function ownEntry({ isEncrypted, form, files, now, ...message }: OwnMessage): Entry {
  return {
    ...message,
    from: 'agent',
    createdAt: new Date(now).toISOString(),
    protection: isEncrypted ? 'sequenced' : 'plaintext',
    form: form && JSON.stringify(form),
    files: files?.map(({ name, mediaType }) => ({ name, mediaType })),
  };
}

/** A message of the expert as it is stored. A decision in it does not count: see `decisionEntry`. */
export function answerEntry(answer: Answer): Entry {
  const { form: _agents, answer: decision, unreadableAnswer, files, ...message } = answer;
  return {
    ...message,
    from: 'expert',
    ...((decision || unreadableAnswer) && { isUncounted: true }),
    ...(decision && { uncountedAction: decision.action }),
    ...(files && { files: files.map(storedFile) }),
  };
}

/** A message of the expert that decides about the open form. */
export function decisionEntry({
  action,
  content,
  decidedAt,
  comment,
  files,
  ...message
}: Decision): DecisionEntry {
  return {
    ...message,
    from: 'expert',
    text: comment,
    decision: { action, decidedAt, ...(content && { content: content as StoredDecision['content'] }) },
    ...(files && { files: files.map(storedFile) }),
  };
}

const storedFile = ({ name, mediaType, bytes }: ReceivedFile): StoredFile => ({
  name,
  mediaType,
  base64: Buffer.from(bytes).toString('base64'),
});

import type { Answer, ConversationState, Decision, ReceivedFile, Store } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { conversationPrefix } from '@expert-relay/sdk/internal';
import { Failure } from '../failure.ts';
import {
  answersIn,
  type Conversations,
  type DecisionEntry,
  type Entry,
  isEarly,
  type JournalContent,
  type StoredDecision,
  type StoredFile,
  type StoredJournal,
} from './conversations.ts';
import { lock } from './lock.ts';

/** Stores the conversations of a running command on this machine: the SDK's state, and the messages. New ones begin with `initial`. */
export class Journal {
  readonly #conversations: Conversations;
  readonly #initial: JournalContent;
  readonly #locked = new Map<string, StoredJournal>();
  readonly #releases: (() => void)[] = [];
  #isReleased = false;

  constructor(conversations: Conversations, initial: JournalContent = { entries: [] }) {
    this.#conversations = conversations;
    this.#initial = initial;
  }

  /** For the client of a command: another process may have locked a conversation that is not locked here, so its state stays. */
  get store(): Store {
    const { store, inOrder } = this.#conversations;
    const setState = async (name: string, value: string) => {
      if (this.#isReleased) throw released();
      if (this.#locked.has(name.slice(conversationPrefix.length))) await store.set(name, value);
    };
    const set = (name: string, value: string) =>
      name.startsWith(conversationPrefix) ? inOrder(() => setState(name, value)) : store.set(name, value);
    return { ...store, set };
  }

  /** Locks a conversation against other processes. */
  async lock(id: string, name = 'This conversation'): Promise<void> {
    const conversations = this.#conversations;
    await conversations.inOrder(async () => {
      if (this.#isReleased) throw released();
      this.#releases.push(lock(conversations.lockPath(id), name));
      // It is read after locking: the process that had the lock may have changed it.
      const { entries, context, validForMs } = (await conversations.find(id)) ?? this.#initial;
      const journal = { version: 1, entries, context, validForMs } as const;
      // Before the state, without which nothing is sent. Also one that is there: the store removes what was not written for long.
      await conversations.write(id, journal);
      this.#locked.set(id, journal);
    });
  }

  /** Writes a state that the SDK has not written. */
  async save(state: ConversationState): Promise<void> {
    await this.#conversations.inOrder(() => this.#conversations.writeState(state));
  }

  /** As stored, with messages that were not delivered. */
  read(id: string): JournalContent {
    return this.#locked.get(id) ?? { entries: [] };
  }

  /**
   * Adds a message. The answers `earlier` were written before it. Of two entries with the same message, the one with the
   * decision is kept: the SDK may return a decision again.
   */
  async add(id: string, entry: Entry, earlier: readonly Entry[] = []): Promise<void> {
    const entries = this.#alter(id, earlier, { seenYourLast: false });
    const at = entries.findIndex((one) => isSame(one, entry));
    if (at < 0) entries.push(entry);
    else if (entry.decision) entries[at] = { ...entries[at], ...entry, isUncounted: undefined };
    await this.#change(id, { entries });
  }

  /** Answers that were received and not yet delivered. */
  undelivered(id: string): readonly Entry[] {
    return this.#answers(id).filter(({ isDelivered }) => !isDelivered);
  }

  /**
   * Those to deliver now: with `includeEarly` all, otherwise those that had seen the last message. None while there are only notes, which
   * are delivered with the next answer.
   */
  deliverable(id: string, includeEarly: boolean): readonly Entry[] {
    const answers = this.undelivered(id).filter((one) => includeEarly || !isEarly(one));
    return answers.some(({ isNote }) => includeEarly || !isNote) ? answers : [];
  }

  async markDelivered(id: string, answers: readonly Pick<Entry, 'messageId'>[]): Promise<void> {
    await this.#change(id, { entries: this.#alter(id, answers, { isDelivered: true }) });
  }

  /** Notes that all answers that are stored were printed. */
  async markShown(id: string): Promise<void> {
    await this.#change(id, { entries: this.#alter(id, this.#answers(id), { isShown: true }) });
  }

  /** The ids of the answers that were printed or delivered: what a further message has seen. */
  shown(id: string): readonly string[] {
    return this.#answers(id).flatMap(({ messageId, isDelivered, isShown }) =>
      messageId !== undefined && (isDelivered || isShown) ? messageId : [],
    );
  }

  /** How old an approval may be, for this command and later ones. */
  async limitAge(id: string, validForMs: number | undefined): Promise<void> {
    await this.#change(id, { validForMs });
  }

  /** Delivers all answers again, in a later run of the same question. */
  async deliverAgain(id: string): Promise<void> {
    const changes = { isDelivered: false, isShown: true };
    await this.#change(id, { entries: this.#alter(id, this.#answers(id), changes) });
  }

  /** Unlocks all, once what was begun is written. */
  async release(): Promise<void> {
    await this.#conversations.inOrder(async () => {
      this.#isReleased = true;
      for (const release of this.#releases.splice(0)) release();
    });
  }

  #answers(id: string): readonly Entry[] {
    return answersIn(this.read(id));
  }

  /** The entries, of which these are changed. */
  #alter(id: string, some: readonly Pick<Entry, 'messageId'>[], changes: Partial<Entry>): Entry[] {
    const ids = new Set(some.map(({ messageId }) => messageId));
    return this.read(id).entries.map((one) =>
      one.from === 'expert' && ids.has(one.messageId) ? { ...one, ...changes } : one,
    );
  }

  async #change(id: string, changes: Partial<JournalContent>): Promise<void> {
    const stored = this.#locked.get(id);
    if (!stored) throw new Error('A conversation is written that is not locked.');
    const changed = { ...stored, ...changes };
    this.#locked.set(id, changed);
    await this.#conversations.inOrder(() => this.#conversations.write(id, changed));
  }
}

const released = () =>
  new Failure('state', 'This conversation was released in the meantime. Make the same call again.');

const isSame = (one: Entry, { from, messageId }: Entry): boolean =>
  from === 'expert' && one.from === from && one.messageId === messageId;

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

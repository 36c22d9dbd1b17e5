import { join } from 'node:path';
import type { ConversationState, Store } from '@expert-relay/sdk';
import { conversationPrefix, createQueue, nameBeside, parseJson } from '@expert-relay/sdk/internal';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { relayName } from './relay-name.ts';
import { openStore, storeFolder } from './store.ts';

/** What was decided about a form. */
const decisionSchema = z.object({
  action: z.enum(['accept', 'decline']),
  content: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional(),
});

const entry = z.object({
  from: z.enum(['agent', 'expert']),
  text: z.string(),
  messageId: z.string().optional(),
  createdAt: z.string(),
  protection: z.enum(['sequenced', 'unsequenced', 'plaintext']),
  /** For answers: whether the expert had seen the last text of this side; absent when unknown. */
  seenYourLast: z.boolean().optional(),
  /** For answers: whether it was delivered. */
  isDelivered: z.boolean().optional(),
  /** For answers: whether `relay show` has printed it, after which it is still delivered. */
  isShown: z.boolean().optional(),
  /** For messages of this side: the form that they carry, as JSON text. */
  form: z.string().optional(),
  /** For answers: the decision about the form that was open, if it counts. */
  decision: decisionSchema.extend({ decidedAt: z.string() }).optional(),
  /** For answers: whether they carry a decision that does not count. */
  isUncounted: z.boolean().optional(),
  /** What such a decision says. */
  uncountedAction: z.enum(['accept', 'decline']).optional(),
  /** Those of this side are stored without their content. */
  files: z
    .array(z.object({ name: z.string(), mediaType: z.string(), base64: z.string().optional() }))
    .optional(),
  /** Whether there is a part that this version cannot show. */
  hasUnknownPart: z.boolean().optional(),
  /** For messages of the expert: whether it is no answer, since it has neither a text nor a part that could be one. */
  isNote: z.boolean().optional(),
});

/** What this command line keeps of a conversation, beside the state of the SDK. */
const journal = z.object({
  version: z.literal(1),
  /** The messages, as far as this machine received or sent them. */
  entries: z.array(entry),
  /** What came before the question. */
  context: z.array(z.object({ role: z.string(), content: z.string() })).optional(),
  /** How old an approval may be when it is printed, in milliseconds: also by a later command. */
  validForMs: z.number().optional(),
});

/** What is read of the SDK's state here, which has the private keys. The SDK checks it. */
const state = z.looseObject({
  id: z.uuid(),
  request: z.looseObject({ refCode: z.string() }).optional(),
});

export type Entry = z.infer<typeof entry>;
export type StoredDecision = NonNullable<Entry['decision']>;
export type DecisionEntry = Entry & { readonly decision: StoredDecision };
export type StoredFile = NonNullable<Entry['files']>[number];
export type StoredJournal = z.infer<typeof journal>;
export type StoredConversation = StoredJournal & { readonly state: ConversationState };

export type JournalContent = Omit<z.infer<typeof journal>, 'version'>;

/** The messages of a conversation as they are stored. */
export type Messages = Pick<JournalContent, 'entries'>;

export const answersIn = ({ entries }: Messages): readonly Entry[] =>
  entries.filter(({ from }) => from === 'expert');

/** Whether an answer may answer something that was asked before the last message. */
export const isEarly = ({ seenYourLast }: Pick<Entry, 'seenYourLast'>): boolean => seenYourLast === false;

/** Whether an answer decides about the form that was open: one that had not seen the last message does not. */
export const isDecision = (entry: Entry): entry is DecisionEntry =>
  entry.decision !== undefined && !isEarly(entry);

/** The newest form of this side, as JSON text. */
export const newestForm = ({ entries }: Messages): string | undefined =>
  entries.findLast(({ form }) => form !== undefined)?.form;

/** The newest form of this side, as JSON text, while no answer has decided about it. */
export function openForm({ entries }: Messages): string | undefined {
  const newest = entries.findLastIndex(({ form }) => form !== undefined);
  return entries.slice(newest + 1).some(isDecision) ? undefined : entries[newest]?.form;
}

/** The form that an answer decides about, as JSON text. */
export function decidedForm({ entries }: Messages, { messageId }: Entry): string {
  const before = entries.slice(
    0,
    entries.findIndex((one) => one.from === 'expert' && one.messageId === messageId),
  );
  return before.findLast(({ form }) => form !== undefined)?.form ?? '';
}

/** How many answers were delivered, and how many of the others had not seen the last message. */
export function countAnswers(stored: Messages): { delivered: number; early: number } {
  const answers = answersIn(stored);
  const waiting = answers.filter(({ isDelivered, isNote }) => !isDelivered && !isNote);
  return { delivered: answers.length - waiting.length, early: waiting.filter(isEarly).length };
}

const isId = /^[0-9a-f-]{36}$/i;

/** The conversations with one relay whose keys are on this machine. */
export class Conversations {
  readonly store: Store;
  /** Locks, writes and releases of this process run one after another. */
  readonly inOrder = createQueue();
  readonly #path: string;
  readonly #prefix: string;

  constructor({ folder, url }: { readonly folder: string; readonly url: string }) {
    this.store = openStore(folder, 'agents');
    this.#path = storeFolder(folder, 'agents');
    this.#prefix = nameBeside('journal', `${relayName(url)}:`);
  }

  /** A damaged one is reported here and left out, or thrown as an error where it cannot be reported. */
  async all(report?: (error: unknown) => void): Promise<StoredConversation[]> {
    const stored: StoredConversation[] = [];
    // One at a time: there may be more than files can be open.
    for (const name of await this.store.names(this.#prefix)) {
      try {
        const one = await this.#read(name.slice(this.#prefix.length));
        if (one) stored.push(one);
      } catch (error) {
        if (!report) throw error;
        report(error);
      }
    }
    return stored;
  }

  /** By its reference code or its id. Of a code, a damaged conversation is reported only when no other one has it. */
  async find(refCodeOrId: string): Promise<StoredConversation | undefined> {
    if (isId.test(refCodeOrId)) return await this.#read(refCodeOrId);
    const failures: unknown[] = [];
    const stored = await this.all((error) => failures.push(error));
    const found = stored.find(({ state }) => state.request?.refCode === refCodeOrId);
    if (!found && failures.length > 0) throw failures[0];
    return found;
  }

  /** The questions that were asked here, by their reference codes. Damaged ones are left out: `find` reports them. */
  async questions(): Promise<ReadonlyMap<string, string>> {
    const intact = await this.all(() => {});
    return new Map(
      intact.flatMap(({ entries: [asked], state: { request } }) =>
        asked && request ? [[request.refCode, asked.text] as const] : [],
      ),
    );
  }

  /** Writes what is kept beside the state. */
  async write(id: string, beside: StoredJournal): Promise<void> {
    await this.store.set(this.#nameOf(id), JSON.stringify(beside));
  }

  async writeState(state: ConversationState): Promise<void> {
    await this.store.set(stateOf(state.id), JSON.stringify(state));
  }

  /** Removes a conversation whose question the relay refused. */
  async forget(id: string): Promise<void> {
    await this.store.delete(stateOf(id));
    await this.store.delete(this.#nameOf(id));
  }

  lockPath(id: string): string {
    return join(this.#path, `${id}.lock`);
  }

  #nameOf(id: string): string {
    return `${this.#prefix}${id}`;
  }

  async #read(id: string): Promise<StoredConversation | undefined> {
    const [beside, saved] = [await this.store.get(this.#nameOf(id)), await this.store.get(stateOf(id))];
    if (beside === undefined || saved === undefined) return undefined;
    const parsed = z.object({ journal, state }).safeParse({
      journal: parseJson(beside),
      state: parseJson(saved),
    });
    if (parsed.success)
      return { ...parsed.data.journal, state: parsed.data.state as unknown as ConversationState };
    throw new Failure(
      'state',
      `What ${this.#path} has of the conversation ${id} is damaged: put its files back from a backup, or remove them.`,
    );
  }
}

const stateOf = (id: string): string => `${conversationPrefix}${id}`;

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationState } from '@expert-relay/sdk';
import * as z from 'zod';
import { type JsonFile, openJsonFile } from './json-file.ts';
import { makePrivateFolder } from './private-folder.ts';

/** What was decided about a form. */
export const decisionSchema = z.object({
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

const schema = z.object({
  version: z.literal(1),
  /** The messages, as far as this machine received or sent them. */
  entries: z.array(entry),
  /** What came before the question. */
  context: z.array(z.object({ role: z.string(), content: z.string() })).optional(),
  /** How old an approval may be when it is printed, in milliseconds: also by a later command. */
  validForMs: z.number().optional(),
  // The SDK's state, with the private keys. The SDK checks it.
  state: z.looseObject({
    version: z.literal(1),
    id: z.uuid(),
    request: z.looseObject({ refCode: z.string() }).optional(),
  }),
});

export type Entry = z.infer<typeof entry>;
export type StoredDecision = NonNullable<Entry['decision']>;
export type DecisionEntry = Entry & { readonly decision: StoredDecision };
export type StoredFile = NonNullable<Entry['files']>[number];
type StoredJson = z.infer<typeof schema>;
export type StoredConversation = Omit<StoredJson, 'state'> & { state: ConversationState };

export const answersIn = ({ entries }: StoredConversation): readonly Entry[] =>
  entries.filter(({ from }) => from === 'expert');

/** Whether an answer may answer something that was asked before the last message. */
export const isEarly = ({ seenYourLast }: Pick<Entry, 'seenYourLast'>): boolean => seenYourLast === false;

/** Whether an answer decides about the form that was open: one that had not seen the last message does not. */
export const isDecision = (entry: Entry): entry is DecisionEntry =>
  entry.decision !== undefined && !isEarly(entry);

/** The newest form of this side, as JSON text. */
export const newestForm = ({ entries }: Pick<StoredConversation, 'entries'>): string | undefined =>
  entries.findLast(({ form }) => form !== undefined)?.form;

/** The newest form of this side, as JSON text, while no answer has decided about it. */
export function openForm({ entries }: Pick<StoredConversation, 'entries'>): string | undefined {
  const newest = entries.findLastIndex(({ form }) => form !== undefined);
  return entries.slice(newest + 1).some(isDecision) ? undefined : entries[newest]?.form;
}

/** The form that an answer decides about, as JSON text. */
export function decidedForm({ entries }: Pick<StoredConversation, 'entries'>, { messageId }: Entry): string {
  const before = entries.slice(
    0,
    entries.findIndex((one) => one.from === 'expert' && one.messageId === messageId),
  );
  return before.findLast(({ form }) => form !== undefined)?.form ?? '';
}

/** How many answers were delivered, and how many of the others had not seen the last message. */
export function countAnswers(stored: StoredConversation): { delivered: number; early: number } {
  const answers = answersIn(stored);
  const waiting = answers.filter(({ isDelivered, isNote }) => !isDelivered && !isNote);
  return { delivered: answers.length - waiting.length, early: waiting.filter(isEarly).length };
}

/** The conversations whose keys are on this machine. */
export interface Conversations {
  /** A broken file is reported here and left out, or thrown as an error where it cannot be reported. */
  all(report?: (error: unknown) => void): StoredConversation[];
  /** By its reference code or its id. */
  find(refCodeOrId: string): StoredConversation | undefined;
  /** Whether a conversation other than `id` has this reference code. */
  isTaken(refCode: string, id: string): boolean;
  /** The questions that were asked here, by their reference codes. Broken files are left out: `find` reports them. */
  questions(): ReadonlyMap<string, string>;
  write(conversation: StoredConversation): void;
  /** Removes a conversation whose question the relay refused. */
  forget(id: string): void;
  lockPath(id: string): string;
}

/** The relay keeps a conversation no longer: three days, and thirty days of retention. */
const keptForMs = 33 * 24 * 3_600_000;

const isId = /^[0-9a-f-]{36}$/i;

export function openConversations(relayFolder: string, now: () => number): Conversations {
  const folder = join(relayFolder, 'conversations');
  makePrivateFolder(folder);
  const fileOf = (id: string): JsonFile<StoredJson> =>
    openJsonFile({
      path: join(folder, `${id}.json`),
      schema,
      withoutIt: 'that conversation cannot be continued or read any more.',
    });
  const ids = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter((name) => isId.test(name));
  const read = (id: string) => fileOf(id).read() as StoredConversation | undefined;

  /** Of a code, a broken file is reported only when no other one has it. An id is the name of one file. */
  function find(wanted: string): StoredConversation | undefined {
    if (isId.test(wanted)) return read(wanted);
    const failures: unknown[] = [];
    for (const id of ids()) {
      try {
        const stored = read(id);
        if (stored?.state.request?.refCode === wanted) return stored;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return undefined;
  }

  function readIntact(
    id: string,
    report: (error: unknown) => void = () => {},
  ): StoredConversation | undefined {
    try {
      return read(id);
    } catch (error) {
      // `find` reports a broken file to the command that needs it.
      report(error);
      return undefined;
    }
  }

  function forgetOld(): void {
    for (const id of ids()) {
      const path = join(folder, `${id}.json`);
      // A conversation lasts at most three days, and its file is not written after its end.
      if (statSync(path).mtimeMs + keptForMs < now()) rmSync(path, { force: true });
    }
  }

  forgetOld();
  return {
    all: (report) => ids().flatMap((id) => (report ? readIntact(id, report) : read(id)) ?? []),
    find,
    isTaken: (refCode, id) =>
      ids().some((other) => other !== id && readIntact(other)?.state.request?.refCode === refCode),
    questions: () =>
      new Map(
        ids().flatMap((id) => {
          const { entries: [asked] = [], state } = readIntact(id) ?? {};
          return asked && state?.request ? [[state.request.refCode, asked.text] as const] : [];
        }),
      ),
    forget: (id) => fileOf(id).remove(),
    write: (conversation) => fileOf(conversation.state.id).write(conversation as StoredJson),
    lockPath: (id) => join(folder, `${id}.lock`),
  };
}
